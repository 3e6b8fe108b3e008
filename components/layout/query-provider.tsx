'use client';

import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ApiError } from '../api.ts';

const newClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 15_000,
        retry: (failures, error) =>
          failures < 1 && !(error instanceof ApiError && error.failure === 'signed_out'),
      },
      // Without a connection it should fail and say so, not wait in silence.
      mutations: { retry: false, networkMode: 'always' },
    },
  });

/** The browser's copy of what the server knows; each page brings its first data. */
export function ServerState({ children }: { children: ReactNode }) {
  const [client] = useState(newClient);
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>;
}
