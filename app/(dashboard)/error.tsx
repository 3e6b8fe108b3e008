'use client';

import { digestOf, PageError } from '#components/frame/page-error.tsx';

export default function ErrorPage({ error, retry }: { error: unknown; retry: () => void }) {
  return <PageError digest={digestOf(error)} retry={retry} />;
}
