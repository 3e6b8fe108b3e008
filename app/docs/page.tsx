import { DocsArticle } from '#components/docs/docs-page.tsx';
import { services } from '#src/api/services.ts';
import { neighborsOf } from '#src/docs/pages.ts';
import { metadataOf, readPage } from './read-page.ts';

export const generateMetadata = async () => metadataOf(await readPage(''));

/** Not a page of `[...slug]`, so that it does not load the script of the console. */
export default async function DocsStart() {
  const page = await readPage('');
  return <DocsArticle page={page} neighbors={neighborsOf(services().settings, page)} />;
}
