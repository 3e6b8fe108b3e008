import { createElement, Fragment, type ReactNode } from 'react';
import { CodeBlock } from '../api-access/code-block.tsx';
import { classNames } from '../ui/class-names.ts';
import type { Block } from './block.ts';
import { Console } from './console.tsx';
import { FoldSummary } from './fold-summary.tsx';
import { Inline } from './inline.tsx';

const headingClass = 'mt-10 mb-3 scroll-mt-6 text-title font-semibold tracking-tight';

/** The blocks of a page of the reference. Everything but the console reads the same without JavaScript. */
export function Blocks({ blocks }: { blocks: Block[] }) {
  return createElement(Fragment, null, ...blocks.map(rendered));
}

function rendered(block: Block): ReactNode {
  switch (block.kind) {
    case 'heading':
      return (
        <h2 id={block.id} className={headingClass}>
          <a href={`#${block.id}`} className="hover:underline">
            {block.text}
          </a>
        </h2>
      );
    case 'text':
      return (
        <p className="my-3 max-w-[43.5rem]">
          <Inline text={block.text} />
        </p>
      );
    case 'list':
      return (
        <ul className="my-3 grid max-w-[43.5rem] list-disc gap-1.5 pl-5 marker:text-muted">
          {block.items.map((item) => (
            <li key={item}>
              <Inline text={item} />
            </li>
          ))}
        </ul>
      );
    case 'table':
      return <Table {...block} />;
    case 'code':
      return <Code {...block} />;
    case 'console':
      return (
        <>
          <h2 id="console" className={headingClass}>
            Console
          </h2>
          <Console operation={block.operation} />
        </>
      );
  }
}

function Code({ title, code, isFolded = false }: Extract<Block, { kind: 'code' }>) {
  if (!isFolded)
    return (
      <div className="my-4">
        <CodeBlock name={title} code={code} />
      </div>
    );
  return (
    <details className="group my-3 rounded-control border border-line">
      <FoldSummary>{title}</FoldSummary>
      <div className="px-4 pb-4">
        <CodeBlock name={title} code={code} />
      </div>
    </details>
  );
}

/**
 * On a narrow screen each row is a small list, so that nothing has to be scrolled sideways. Each value then has the
 * heading of its column before it for the eye; screen readers still know it from the table.
 */
function Table({ head, rows, isEven = false, isLastWide = false }: Extract<Block, { kind: 'table' }>) {
  return (
    <table
      className={classNames(
        'my-4 block w-full text-left wrap-break-word sm:table',
        isEven && 'sm:table-fixed',
      )}
    >
      <thead className="sr-only sm:not-sr-only sm:table-header-group">
        <tr className="border-b border-line-firm text-small text-muted">
          {head.map((cell) => (
            <th
              key={cell}
              scope="col"
              className={classNames(
                'py-2 pr-4 font-medium',
                // The longest code of a failure fits in.
                isEven ? 'sm:first:w-54' : 'sm:first:w-[24%]',
                isLastWide && 'sm:last:w-[52%]',
              )}
            >
              {cell}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="block sm:table-row-group">
        {rows.map(({ id, cells }) => (
          <tr
            key={id ?? cells.join(' ')}
            id={id}
            className="block scroll-mt-6 border-b border-line py-2 align-top target:bg-accent-tint sm:table-row"
          >
            {cells.map((cell, column) => (
              <td
                key={head[column]}
                data-label={head[column]}
                className={classNames(
                  'block min-w-0 py-1 pr-4 sm:table-cell sm:py-2.5 empty:hidden sm:empty:table-cell',
                  'before:mr-2 before:inline-block before:text-small before:text-muted before:content-[attr(data-label)/""] sm:before:hidden',
                )}
              >
                <Inline text={cell} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
