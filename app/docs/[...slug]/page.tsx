import { headers } from 'next/headers';
import { Console } from '#components/docs/console.tsx';
import { DocsArticle } from '#components/docs/docs-page.tsx';
import { services } from '#src/api/services.ts';
import { readSessionWithinQuota } from '#src/api/session.ts';
import { neighborsOf } from '#src/docs/pages.ts';
import { metadataOf, readPage } from '../read-page.ts';

type Props = PageProps<'/docs/[...slug]'>;

const pageOf = async ({ params }: Props) => readPage((await params).slug.join('/'));

export const generateMetadata = async (props: Props) => metadataOf(await pageOf(props));

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
