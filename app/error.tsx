'use client';

import { digestOf, PageError, StandalonePage } from '#components/layout/root-layout.tsx';

/** Also for errors in the dashboard's layout. */
export default function ErrorPage({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <StandalonePage>
      <PageError digest={digestOf(error)} retry={retry} />
    </StandalonePage>
  );
}
