import { type MarkedToken, marked } from 'marked';
import type { Settings } from '#src/settings.ts';
import { type DocsPage, docsPath, headingId, plainText } from './page.ts';
import { docsPages } from './pages.ts';
import type { SearchEntry } from './search.ts';

let cached: { pages: DocsPage[]; entries: SearchEntry[] } | undefined;

/** An entry for each page and each of its sections. */
export function searchIndex(settings: Settings): SearchEntry[] {
  const pages = docsPages(settings);
  if (cached?.pages !== pages) cached = { pages, entries: entriesOf(pages) };
  return cached.entries;
}

function entriesOf(pages: DocsPage[]): SearchEntry[] {
  return pages.flatMap(({ slug, title, summary, body }) => {
    const url = docsPath(slug);
    const entries: SearchEntry[] = [{ page: title, section: '', url, text: '' }];
    for (const token of marked.lexer(`${summary}\n\n${body}`) as MarkedToken[]) {
      if (token.type === 'heading') {
        const section = plainText(token.tokens);
        entries.push({ page: title, section, url: `${url}#${headingId(section)}`, text: '' });
        continue;
      }
      const last = entries.at(-1);
      const text = textOf(token);
      if (last && text) last.text = `${last.text} ${text}`.trim();
    }
    return entries;
  });
}

/** The text that a search finds. Code blocks are left out. */
function textOf(token: MarkedToken): string {
  switch (token.type) {
    case 'paragraph':
      return plainText(token.tokens);
    case 'list':
      return token.items.map(({ tokens }) => plainText(tokens)).join(' ');
    case 'table':
      return token.rows.map((cells) => cells.map(({ tokens }) => plainText(tokens)).join(' ')).join(' ');
    default:
      return '';
  }
}
