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
      // Offline, fail immediately instead of waiting for a connection.
      mutations: { retry: false, networkMode: 'always' },
    },
  });

export function QueryProvider({ children }: { children: ReactNode }) {
  const [client] = useState(newClient);
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>;
}
