'use client';

import { digestOf, PageError } from '#components/layout/page-error.tsx';
import { LonePage } from '#components/layout/standalone-page.tsx';

/** Outside the frame: also when the frame itself could not be made. */
export default function ErrorPage({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <LonePage>
      <PageError digest={digestOf(error)} retry={retry} />
    </LonePage>
  );
}
