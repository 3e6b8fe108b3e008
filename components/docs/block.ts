/** A page of the reference as data: the HTML page and its Markdown copy are made from the same blocks. */
export type Row = {
  /** An anchor. */
  id?: string;
  cells: string[];
};

export type Language = 'sh' | 'js' | 'python' | 'json' | 'text';

export type ConsoleOperation = {
  id: string;
  method: string;
  path: string;
  /** The body to start from. */
  body?: string;
  /** The name of the path's parameter. */
  parameter?: string;
};

/**
 * An even table has columns as wide as those of other even tables; one with a wide last column gives that one half
 * of the room, whatever the others hold. Texts may hold `code`, **strong** and [links](/docs).
 */
export type Block =
  | { kind: 'heading'; id: string; text: string }
  | { kind: 'text'; text: string }
  | { kind: 'list'; items: string[] }
  | { kind: 'table'; head: string[]; rows: Row[]; isEven?: boolean; isLastWide?: boolean }
  | { kind: 'code'; language: Language; title: string; code: string; isFolded?: boolean }
  | { kind: 'console'; operation: ConsoleOperation };

export type DocsPage = {
  /** Empty for the first page. */
  slug: string;
  group: 'Start' | 'Operations' | 'Guides';
  title: string;
  summary: string;
  blocks: Block[];
};

export function docsAddress(slug: string): string {
  return slug ? `/docs/${slug}` : '/docs';
}
