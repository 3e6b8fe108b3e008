import { createElement, Fragment, type ReactNode } from 'react';

/** Prevents line breaks within words such as month-end. */
export function keepHyphenatedWords(text: string): ReactNode {
  return createElement(Fragment, null, ...text.split(/(\S+-\S+)/).map(keepTogether));
}

function keepTogether(part: string): ReactNode {
  return part.includes('-') ? <span className="whitespace-nowrap">{part}</span> : part;
}

/** Wraps within a `pre` and keeps a long word on the line of its indentation. */
export function IndentedText({ text }: { text: string }) {
  return createElement(Fragment, null, ...text.split(/^( +)/m).map(keepSpaces));
}

function keepSpaces(part: string): ReactNode {
  return /^ +$/.test(part) ? <span className="whitespace-pre">{part}</span> : part;
}
