import type { MarkedToken, Token } from 'marked';

export type ConsoleOperation = {
  id: string;
  method: string;
  path: string;
  parameters: { name: string; location: 'path' | 'query'; required: boolean }[];
  /** The initial request body. */
  body?: string;
};

/** The signed-in customer. */
export type ConsoleAccount = { customerId: number; name: string; apiKey: string };

export type DocsPage = {
  /** Empty for the start page. */
  slug: string;
  group: string;
  title: string;
  /** One paragraph of Markdown. */
  summary: string;
  /** The Markdown after the summary. */
  body: string;
  /** The operation that the page's console calls. */
  operation?: ConsoleOperation;
};

/** Prints 16 random hexadecimal digits in any shell. */
export const randomKey = '$(od -An -N8 -tx8 /dev/urandom)';

/** @param slug empty for the start page */
export function docsPath(slug: string): string {
  return slug ? `/docs/${slug}` : '/docs';
}

/** @returns the anchor of a heading in an API docs page */
export function headingId(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}.]+/gu, '-')
    .replace(/^-|-$/g, '');
}

/** @returns the text without its markup */
export function plainText(tokens: Token[]): string {
  return (tokens as MarkedToken[])
    .map((token) => ('tokens' in token && token.tokens ? plainText(token.tokens) : textOf(token)))
    .join('');
}

const textOf = (token: MarkedToken) => ('text' in token ? token.text : token.raw);
