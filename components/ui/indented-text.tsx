import { createElement, Fragment, type ReactNode } from 'react';

/** Wraps within a `pre` and keeps a long word on the line of its indentation. */
export function IndentedText({ text }: { text: string }) {
  return createElement(Fragment, null, ...text.split(/^( +)/m).map(rendered));
}

function rendered(part: string): ReactNode {
  return /^ +$/.test(part) ? <span className="whitespace-pre">{part}</span> : part;
}
