import { PageHeader } from '../ui/panel.tsx';
import { type DocsPage, docsAddress } from './block.ts';
import { Blocks } from './blocks.tsx';
import { Inline } from './inline.tsx';

/** A page of the reference with the way to its Markdown copy. */
export function DocsArticle({ page }: { page: DocsPage }) {
  return (
    <article>
      <PageHeader
        title={page.title}
        action={
          <a href={`${docsAddress(page.slug)}.md`} className="link hit inline-flex items-center">
            Markdown
          </a>
        }
      >
        <p className="max-w-[43.5rem]">
          <Inline text={page.summary} />
        </p>
      </PageHeader>
      <Blocks blocks={page.blocks} />
    </article>
  );
}
