import { createElement, Fragment, type ReactNode } from 'react';

/** A text of which no line ends within a word such as month-end, as a balanced or a short one would. */
export function withWholeWords(text: string): ReactNode {
  return createElement(Fragment, null, ...text.split(/(\S+-\S+)/).map(wholeWord));
}

function wholeWord(part: string): ReactNode {
  return part.includes('-') ? <span className="whitespace-nowrap">{part}</span> : part;
}
