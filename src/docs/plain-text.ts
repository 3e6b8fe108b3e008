import type { MarkedToken, Token } from 'marked';

/** @returns the text without its markup */
export function plainText(tokens: Token[]): string {
  return (tokens as MarkedToken[])
    .map((token) => ('tokens' in token && token.tokens ? plainText(token.tokens) : textOf(token)))
    .join('');
}

const textOf = (token: MarkedToken) => ('text' in token ? token.text : token.raw);
