import type { ComponentProps } from 'react';
import { PageHeader } from '../ui/panel.tsx';
import { Console } from './console.tsx';
import { Markdown } from './markdown.tsx';
import { InlineMarkdown } from './markdown-inline.tsx';
import { type DocsPage, docsPath } from './page.ts';

/** A page of the API docs with a link to its Markdown version. */
export function DocsArticle({ page }: { page: DocsPage }) {
  const { slug, title, summary, body, operation } = page;
  return (
    <article>
      <PageHeader
        title={title}
        action={
          <a href={`${docsPath(slug)}.md`} className="link hit inline-flex items-center">
            Markdown
          </a>
        }
      >
        <p className="max-w-[43.5rem]">
          <InlineMarkdown text={summary} />
        </p>
      </PageHeader>
      <Markdown text={body} before={operation && { parameters: <ConsoleSection operation={operation} /> }} />
    </article>
  );
}

function ConsoleSection({ operation }: ComponentProps<typeof Console>) {
  return (
    <>
      <h2 id="console" className="mt-10 mb-3 scroll-mt-6 text-title font-semibold tracking-tight">
        Console
      </h2>
      <Console operation={operation} />
    </>
  );
}
