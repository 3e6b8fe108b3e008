import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { connection } from 'next/server';
import { services } from '#src/api/services.ts';
import { type DocsPage, docsPath } from '#src/docs/page.ts';
import { findDocsPage, pageDescription } from '#src/docs/pages.ts';

/** @returns the page, or else Next's response to an unknown path */
export async function readPage(slug: string): Promise<DocsPage> {
  await connection();
  return findDocsPage(services().settings, slug) ?? notFound();
}

export function metadataOf(page: DocsPage): Metadata {
  const { publicUrl } = services().settings;
  const url = publicUrl + docsPath(page.slug);
  return {
    title: page.slug ? `${page.title}, API docs` : 'API docs',
    description: pageDescription(page),
    alternates: {
      canonical: url,
      types: {
        'text/markdown': `${url}.md`,
        'application/atom+xml': `${publicUrl}/docs/changelog.atom`,
      },
    },
  };
}
