import type { ReactNode } from 'react';
import { type DocsPage, docsPath, headingId } from '#src/docs/page.ts';
import { PageHeader } from '../ui/panel.tsx';
import { DocsLink } from './docs-link.tsx';
import { Markdown, sectionTitles } from './markdown.tsx';
import { InlineMarkdown } from './markdown-inline.tsx';

type DocsArticleProps = {
  page: DocsPage;
  /** A slot, so that only pages that can have one load its script. */
  operationConsole?: ReactNode;
  /** The pages before and after it. */
  neighbors: (DocsPage | undefined)[];
};

const consoleTitle = 'Console';

/** A page of the API docs with a link to its Markdown version. */
export function DocsArticle({ page, operationConsole, neighbors }: DocsArticleProps) {
  const { slug, title, summary, body } = page;
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
      <Contents
        sections={sectionTitles(body).flatMap((section) =>
          operationConsole && section === 'Parameters' ? [consoleTitle, section] : [section],
        )}
      />
      <Markdown
        text={body}
        before={{
          parameters: operationConsole && (
            <>
              <h2
                id={headingId(consoleTitle)}
                className="mt-10 mb-3 scroll-mt-6 text-title font-semibold tracking-tight"
              >
                {consoleTitle}
              </h2>
              {operationConsole}
            </>
          ),
        }}
      />
      <Neighbors pages={neighbors} />
    </article>
  );
}

/** Links to the sections of a page that has several. */
function Contents({ sections }: { sections: string[] }) {
  if (sections.length < 3) return null;
  return (
    <nav aria-label="On this page" className="mb-6">
      <p className="mb-1 text-small font-medium text-muted">On this page</p>
      <ul className="flex flex-wrap gap-x-5">
        {sections.map((title) => (
          <li key={title}>
            <a href={`#${headingId(title)}`} className="link hit inline-flex items-center">
              {title}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Neighbors({ pages: [previous, next] }: { pages: (DocsPage | undefined)[] }) {
  if (!previous && !next) return null;
  return (
    <nav
      aria-label="Previous and next page"
      className="mt-12 flex flex-wrap justify-between gap-x-6 border-t border-line pt-4"
    >
      {previous && (
        <DocsLink href={docsPath(previous.slug)} rel="prev" className="link hit inline-flex items-center">
          Previous: {previous.title}
        </DocsLink>
      )}
      {next && (
        <DocsLink href={docsPath(next.slug)} rel="next" className="link hit ml-auto inline-flex items-center">
          Next: {next.title}
        </DocsLink>
      )}
    </nav>
  );
}
