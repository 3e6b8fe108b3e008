import { type MarkedToken, marked, type Tokens } from 'marked';
import { createElement, type ReactNode } from 'react';
import { headingId, plainText } from '#src/docs/page.ts';
import { CodeBlock } from '../api-access/code-block.tsx';
import { classNames } from '../ui/class-names.ts';
import { DisclosureIcon } from '../ui/icons.tsx';
import { fragment } from '../ui/text-wrap.tsx';
import { CodeTabs } from './code-tabs.tsx';
import { HighlightedCode } from './highlighted-code.tsx';
import { inline } from './markdown-inline.tsx';

type MarkdownProps = {
  text: string;
  /** Content to insert before a heading, by the heading's ID. */
  before?: Record<string, ReactNode>;
};

/** Renders Markdown as elements instead of an HTML string, so React escapes all of it and the CSP needs no exception. */
export function Markdown({ text, before = {} }: MarkdownProps) {
  return fragment(groupTabs(marked.lexer(text) as MarkedToken[]), (part) =>
    Array.isArray(part) ? <Tabs blocks={part} /> : block(part, before),
  );
}

/** Puts adjacent code blocks that are tabs into an array. */
function groupTabs(tokens: MarkedToken[]): (MarkedToken | Tokens.Code[])[] {
  const parts: (MarkedToken | Tokens.Code[])[] = [];
  for (const token of tokens) {
    const last = parts.at(-1);
    const isTab = token.type === 'code' && token.lang?.endsWith(' tab');
    if (isTab && Array.isArray(last)) last.push(token as Tokens.Code);
    else if (isTab) parts.push([token as Tokens.Code]);
    else if (token.type !== 'space') parts.push(token);
  }
  return parts;
}

function Tabs({ blocks }: { blocks: Tokens.Code[] }) {
  return (
    <CodeTabs titles={blocks.map(({ lang }) => titleOf(lang))}>
      {blocks.map((code) => (
        <CodeFigure key={code.lang} {...code} />
      ))}
    </CodeTabs>
  );
}

/** The titles of a text's second-level headings. */
export function sectionTitles(text: string): string[] {
  const tokens = marked.lexer(text) as MarkedToken[];
  return tokens.flatMap((token) =>
    token.type === 'heading' && token.depth === 2 ? [plainText(token.tokens)] : [],
  );
}

function block(token: MarkedToken, before: Record<string, ReactNode>): ReactNode {
  switch (token.type) {
    case 'heading':
      return heading(token, before);
    case 'paragraph':
      return <p className="my-3 max-w-[43.5rem]">{inline(token.tokens)}</p>;
    case 'list':
      return <List {...token} />;
    case 'table':
      return <Table {...token} />;
    case 'code':
      return <Code {...token} />;
    default:
      return token.raw;
  }
}

function heading({ depth, tokens }: Tokens.Heading, before: Record<string, ReactNode>): ReactNode {
  const id = headingId(plainText(tokens));
  const size = depth === 2 ? 'mt-10 text-title' : 'mt-7 text-lead';
  const link = (
    <a href={`#${id}`} className="hover:underline">
      {inline(tokens)}
    </a>
  );
  const className = `${size} mb-3 scroll-mt-6 font-semibold tracking-tight`;
  return (
    <>
      {before[id]}
      {createElement(`h${depth}`, { id, className }, link)}
    </>
  );
}

function List({ ordered, items }: Tokens.List) {
  const style = ordered ? 'list-decimal' : 'list-disc';
  return createElement(
    ordered ? 'ol' : 'ul',
    { className: `my-3 grid max-w-[43.5rem] gap-1.5 pl-5 marker:text-muted ${style}` },
    fragment(items, ({ tokens }) => <li>{inline(tokens)}</li>),
  );
}

/** The info string is a language, a title, and a flag: `js title="JavaScript" collapsed`, or `tab`. */
function Code(token: Tokens.Code) {
  const code = <CodeFigure {...token} />;
  if (!token.lang?.endsWith(' collapsed')) return <div className="my-4">{code}</div>;
  return (
    <details className="group my-3 rounded-control border border-line">
      <summary className="hit flex items-center gap-2 px-4 font-medium">
        <DisclosureIcon />
        {titleOf(token.lang)}
      </summary>
      <div className="px-4 pb-4">{code}</div>
    </details>
  );
}

const titleOf = (lang = '') => /title="([^"]*)"/.exec(lang)?.[1] ?? '';

function CodeFigure({ lang, text }: Tokens.Code) {
  return (
    <CodeBlock name={titleOf(lang)} code={text}>
      <HighlightedCode language={lang?.split(' ')[0] ?? ''} code={text} />
    </CodeBlock>
  );
}

/** A row whose first cell links to an anchor of this page is that anchor. */
function anchorLink([cell]: Tokens.TableCell[]): Tokens.Link | undefined {
  const [first] = (cell?.tokens ?? []) as MarkedToken[];
  return first?.type === 'link' && first.href.startsWith('#') ? first : undefined;
}

/**
 * On a narrow screen each row is a small list, so that nothing has to be scrolled sideways. Each value then has the
 * heading of its column before it for the eye; screen readers still know it from the table.
 */
function Table({ header, rows }: Tokens.Table) {
  const labels = header.map(({ tokens }) => plainText(tokens));
  const last = labels.at(-1);
  const isEven = last === 'Fix';
  return (
    <table
      className={classNames(
        'my-4 block w-full text-left wrap-break-word sm:table',
        isEven && 'sm:table-fixed',
      )}
    >
      <thead className="sr-only sm:not-sr-only sm:table-header-group">
        <tr className="border-b border-line-firm text-small text-muted">
          {labels.map((label) => (
            <th
              key={label}
              scope="col"
              className={classNames(
                'py-2 pr-4 font-medium',
                // The longest code of an error fits in.
                isEven ? 'sm:first:w-54' : 'sm:first:w-[24%]',
                last === 'Description' && 'sm:last:w-[52%]',
              )}
            >
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="block sm:table-row-group">
        {fragment(rows, (cells) => (
          <Row cells={cells} labels={labels} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ cells, labels }: { cells: Tokens.TableCell[]; labels: string[] }) {
  const anchor = anchorLink(cells);
  return (
    <tr
      id={anchor?.href.slice(1)}
      className="block scroll-mt-6 border-b border-line py-2 align-top target:bg-accent-tint sm:table-row"
    >
      {cells.map(({ tokens }, column) => (
        <td
          key={labels[column]}
          data-label={labels[column]}
          className={classNames(
            'block min-w-0 py-1 pr-4 sm:table-cell sm:py-2.5 empty:hidden sm:empty:table-cell',
            'before:mr-2 before:inline-block before:text-small before:text-muted before:content-[attr(data-label)/""] sm:before:hidden',
          )}
        >
          {anchor && column === 0 ? (
            <a href={anchor.href} className="font-semibold hover:underline">
              {inline(anchor.tokens)}
            </a>
          ) : (
            inline(tokens)
          )}
        </td>
      ))}
    </tr>
  );
}
