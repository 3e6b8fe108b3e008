import type { Metadata } from 'next';
import { PageNotFound } from '#components/layout/root-layout.tsx';

export const metadata: Metadata = { title: 'Page not found', robots: { index: false } };

export default function NotFound() {
  return <PageNotFound />;
}
