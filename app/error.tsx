'use client';

import { digestOf, PageError } from '#components/layout/page-error.tsx';
import { StandalonePage } from '#components/layout/standalone-page.tsx';

/** Also for errors in the dashboard's layout. */
export default function ErrorPage({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <StandalonePage>
      <PageError digest={digestOf(error)} retry={retry} />
    </StandalonePage>
  );
}
