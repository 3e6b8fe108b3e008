import { createElement, Fragment, type ReactNode } from 'react';

/** Prevents line breaks within words such as month-end. */
export function keepHyphenatedWords(text: string): ReactNode {
  return createElement(Fragment, null, ...text.split(/(\S+-\S+)/).map(keepTogether));
}

function keepTogether(part: string): ReactNode {
  return part.includes('-') ? <span className="whitespace-nowrap">{part}</span> : part;
}
