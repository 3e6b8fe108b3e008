'use client';

import { digestOf, PageError } from '#components/layout/root-layout.tsx';

export default function ErrorPage({ error, retry }: { error: unknown; retry: () => void }) {
  return <PageError digest={digestOf(error)} retry={retry} />;
}
