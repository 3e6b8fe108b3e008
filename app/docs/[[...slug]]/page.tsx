import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { notFound } from 'next/navigation';
import { connection } from 'next/server';
import { Console } from '#components/docs/console.tsx';
import { DocsArticle } from '#components/docs/docs-page.tsx';
import { services } from '#src/api/services.ts';
import { readSessionWithinQuota } from '#src/api/session.ts';
import { docsPath } from '#src/docs/page.ts';
import { findDocsPage, neighborsOf, pageDescription } from '#src/docs/pages.ts';

type DocsPageProps = PageProps<'/docs/[[...slug]]'>;

async function pageOf({ params }: DocsPageProps) {
  await connection();
  const { slug = [] } = await params;
  return findDocsPage(services().settings, slug.join('/')) ?? notFound();
}

export async function generateMetadata(props: DocsPageProps): Promise<Metadata> {
  const page = await pageOf(props);
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

export default async function DocsPage(props: DocsPageProps) {
  const page = await pageOf(props);
  const { operation } = page;
  return (
    <DocsArticle
      page={page}
      operationConsole={operation && <Console operation={operation} account={await signedInAccount()} />}
      neighbors={neighborsOf(services().settings, page)}
    />
  );
}

/** The docs are readable without an account, and without a database. */
async function signedInAccount() {
  const cookie = (await headers()).get('cookie');
  const session = await readSessionWithinQuota(services(), cookie).catch(() => null);
  if (!session) return null;
  const { customerId, customer } = session;
  return { customerId, name: customer.username, apiKey: customer.apiKey };
}
