import type { Metadata } from 'next';
import { connection } from 'next/server';
import { DocsArticle } from '#components/docs/docs-page.tsx';
import { docsContext } from '#src/docs/document.ts';
import { startPage } from '#src/docs/guides/start.ts';

export const metadata: Metadata = { title: 'API reference' };

export default async function DocsStart() {
  await connection();
  return <DocsArticle page={startPage(docsContext())} />;
}
