'use client';

import { LonePage } from '#components/frame/lone-page.tsx';
import { digestOf, PageError } from '#components/frame/page-error.tsx';

/** Outside the frame: also when the frame itself could not be made. */
export default function ErrorPage({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <LonePage>
      <PageError digest={digestOf(error)} retry={retry} />
    </LonePage>
  );
}
