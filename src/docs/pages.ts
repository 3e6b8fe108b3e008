import { readFileSync } from 'node:fs';
import path from 'node:path';
import { marked } from 'marked';
import type { Settings } from '#src/settings.ts';
import { escapeMarkdown, unescapeMarkdown } from './markdown.ts';
import { operationPages } from './operation.ts';
import { type DocsPage, docsPath, plainText } from './page.ts';
import { fillPlaceholders, placeholderValues } from './placeholders.ts';

/** Files in `docs/guides`, in the order of the navigation. */
const guides = [
  'quickstarts',
  'authentication',
  'collect-a-card',
  'idempotency',
  'limits',
  'errors',
  'versioning',
  'sandbox',
  'client',
  'go-live',
  'changelog',
];

let cachedPages: DocsPage[] | undefined;

/** All pages of the API docs, in the order of the navigation. Outside production, edits to the guides show immediately. */
export function docsPages(settings: Settings): DocsPage[] {
  if (cachedPages && process.env.NODE_ENV === 'production') return cachedPages;
  const values = placeholderValues(settings);
  cachedPages = [
    { ...guidePage('start', values), slug: '', group: 'Get started' },
    ...operationPages(settings),
    ...guides.map((name) => guidePage(name, values)),
  ];
  return cachedPages;
}

/** @param slug empty for the start page */
export function findDocsPage(settings: Settings, slug: string): DocsPage | undefined {
  return docsPages(settings).find((page) => page.slug === slug);
}

/** The pages before and after a page in the navigation. */
export function neighborsOf(settings: Settings, { slug }: DocsPage): (DocsPage | undefined)[] {
  const pages = docsPages(settings);
  const position = pages.findIndex((page) => page.slug === slug);
  return [pages[position - 1], pages[position + 1]];
}

/** A guide is a heading, a paragraph that sums it up, and the body. */
function guidePage(name: string, values: Record<string, string>): DocsPage {
  const file = path.join(process.cwd(), 'docs', 'guides', `${name}.md`);
  const [heading = '', summary = '', ...body] = fillPlaceholders(readFileSync(file, 'utf8'), values).split(
    '\n\n',
  );
  const title = unescapeMarkdown(heading.replace('# ', ''));
  return { slug: name, group: 'Guides', title, summary, body: body.join('\n\n').trimEnd() };
}

/** @returns the page as Markdown; for a guide, this is its file */
export function pageSource({ title, summary, body }: DocsPage): string {
  return `# ${escapeMarkdown(title)}\n\n${summary}\n\n${body}\n`;
}

/** @returns the page as Markdown, with links that work wherever it is read */
export function pageMarkdown(page: DocsPage, publicUrl: string): string {
  const url = publicUrl + docsPath(page.slug);
  return pageSource(page).replaceAll(/(?<=\]\()[/#]/g, (first) =>
    first === '#' ? `${url}#` : `${publicUrl}/`,
  );
}

/** @returns the first sentence of the summary, without markup */
export function pageDescription({ summary }: DocsPage): string {
  const [sentence = ''] = plainText(marked.lexer(summary)).split(/(?<=\.) /);
  return sentence;
}
