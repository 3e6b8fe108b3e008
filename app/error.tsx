'use client';

import { digestOf, StandaloneError } from '#components/layout/root-layout.tsx';

/** Also for errors in the dashboard's layout. */
export default function ErrorPage({ error, retry }: { error: unknown; retry: () => void }) {
  return <StandaloneError digest={digestOf(error)} retry={retry} />;
}
