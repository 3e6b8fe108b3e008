import { createElement, Fragment, type ReactNode } from 'react';

/** Renders parts that have no identity but their position, as children without keys. */
export function fragment<T>(parts: T[], render: (part: T, index: number) => ReactNode): ReactNode {
  return createElement(Fragment, null, ...parts.map(render));
}

/** Prevents line breaks within words such as month-end. */
export function keepHyphenatedWords(text: string): ReactNode {
  return fragment(text.split(/(\S+-\S+)/), keepTogether);
}

function keepTogether(part: string): ReactNode {
  return part.includes('-') ? <span className="whitespace-nowrap">{part}</span> : part;
}

/**
 * Wraps within a `pre` and keeps a long word on the line of its indentation.
 * @param props.isContinued whether the text starts in the middle of a line
 */
export function IndentedText({ text, isContinued = false }: { text: string; isContinued?: boolean }) {
  const indentation = isContinued ? /(?<=\n)( +)/ : /^( +)/m;
  return fragment(text.split(indentation), keepSpaces);
}

function keepSpaces(part: string, index: number): ReactNode {
  return index % 2 === 1 ? <span className="whitespace-pre">{part}</span> : part;
}
