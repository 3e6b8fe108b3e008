import type { Metadata } from 'next';

export { PageNotFound as default } from '#components/layout/root-layout.tsx';

export const metadata: Metadata = { title: 'Page not found', robots: { index: false } };
