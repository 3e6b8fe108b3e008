import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { connection } from 'next/server';
import { DocsArticle } from '#components/docs/docs-page.tsx';
import { services } from '#src/api/services.ts';
import { findDocsPage, neighborsOf, pageDescription } from '#src/docs/pages.ts';
import { alternatesOf } from './alternates.ts';

async function startPage() {
  await connection();
  return findDocsPage(services().settings, '') ?? notFound();
}

export async function generateMetadata(): Promise<Metadata> {
  const page = await startPage();
  return { title: 'API docs', description: pageDescription(page), alternates: alternatesOf(page) };
}

export default async function DocsStart() {
  const page = await startPage();
  return <DocsArticle page={page} neighbors={neighborsOf(services().settings, page)} />;
}
