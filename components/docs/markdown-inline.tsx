import { Lexer, type MarkedToken, type Token } from 'marked';
import type { ReactNode } from 'react';
import { plainText } from '#src/docs/page.ts';
import { classNames } from '../ui/class-names.ts';
import { fragment, keepHyphenatedWords } from '../ui/text-wrap.tsx';
import { DocsLink } from './docs-link.tsx';

export function InlineMarkdown({ text }: { text: string }) {
  return inline(Lexer.lexInline(text));
}

/** Renders what is inside a paragraph, a list item, or a table cell. */
export function inline(tokens: Token[]): ReactNode {
  return fragment(tokens as MarkedToken[], element);
}

function element(token: MarkedToken): ReactNode {
  switch (token.type) {
    case 'text':
    case 'paragraph':
      return token.tokens ? inline(token.tokens) : token.text;
    case 'escape':
      return token.text;
    case 'codespan':
      return <Code text={token.text} />;
    case 'strong':
      return <strong className="font-semibold">{inline(token.tokens)}</strong>;
    case 'em':
      return <em>{inline(token.tokens)}</em>;
    case 'link':
      return <MarkdownLink href={token.href} text={plainText(token.tokens)} />;
    default:
      return token.raw;
  }
}

/** Values from settings are part of a page, so a link may not run a script. */
const safeHref = /^(\/|#|https?:|mailto:)/;

function MarkdownLink({ href, text }: { href: string; text: string }) {
  if (!safeHref.test(href)) return text;
  if (/^\/docs(?![^#]*\.)/.test(href))
    return (
      <DocsLink href={href} className="link">
        {keepHyphenatedWords(text)}
      </DocsLink>
    );
  return (
    <a href={href} className="link">
      {text}
    </a>
  );
}

/** A name of at most this many letters stays on one line, also where it has hyphens. */
const nameLengthMax = 24;

function Code({ text }: { text: string }) {
  const isName = text.length <= nameLengthMax;
  return (
    <code
      className={classNames(
        'rounded-control bg-sunken box-decoration-clone px-1 py-0.5 font-mono text-[0.9em]',
        isName && 'min-[16rem]:whitespace-nowrap',
      )}
    >
      {isName ? text : withBreaks(text)}
    </code>
  );
}

/** Lets a line end between the parts of a long word rather than before its last letter. */
function withBreaks(text: string): ReactNode {
  const partsOf = (word: string) =>
    word.length <= nameLengthMax ? word : word.split(/(?<=\w[_./-])(?=[\w{])|(?<=\w)(?=[A-Z][a-z])/);
  return fragment(text.split(/(?<=\s)/).flatMap(partsOf), breakBefore);
}

function breakBefore(part: string, index: number): ReactNode {
  if (index === 0) return part;
  return (
    <>
      <wbr />
      {part}
    </>
  );
}
