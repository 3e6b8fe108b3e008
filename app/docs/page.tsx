import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { connection } from 'next/server';
import { DocsArticle } from '#components/docs/docs-page.tsx';
import { services } from '#src/api/services.ts';
import { findDocsPage } from '#src/docs/pages.ts';

export const metadata: Metadata = { title: 'API docs' };

export default async function DocsStart() {
  await connection();
  return <DocsArticle page={findDocsPage(services().settings, '') ?? notFound()} />;
}
