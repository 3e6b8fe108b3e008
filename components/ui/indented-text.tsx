import { createElement, Fragment, type ReactNode } from 'react';

/** Lines that wrap within a `pre`. A word too long for its line begins beside its indentation, which would else be a line of its own. */
export function IndentedText({ text }: { text: string }) {
  return createElement(Fragment, null, ...text.split(/^( +)/m).map(rendered));
}

function rendered(part: string): ReactNode {
  return /^ +$/.test(part) ? <span className="whitespace-pre">{part}</span> : part;
}
