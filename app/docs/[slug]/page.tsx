import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { notFound } from 'next/navigation';
import { connection } from 'next/server';
import { Console } from '#components/docs/console.tsx';
import { DocsArticle } from '#components/docs/docs-page.tsx';
import { services } from '#src/api/services.ts';
import { readSessionWithinQuota } from '#src/api/session.ts';
import { findDocsPage, neighborsOf, pageDescription } from '#src/docs/pages.ts';
import { alternatesOf } from '../alternates.ts';

type Props = { params: Promise<{ slug: string }> };

async function pageOf({ params }: Props) {
  await connection();
  return findDocsPage(services().settings, (await params).slug) ?? notFound();
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  const page = await pageOf(props);
  return {
    title: `${page.title}, API docs`,
    description: pageDescription(page),
    alternates: alternatesOf(page),
  };
}

export default async function DocsPage(props: Props) {
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
