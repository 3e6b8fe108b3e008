import { createElement, Fragment, type ReactNode } from 'react';
import { classNames } from '../ui/class-names.ts';
import { keepHyphenatedWords } from '../ui/no-wrap.tsx';
import { PageLink } from '../ui/page-link.tsx';

const mark = /(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)]+\))/;

/** A text with `code`, **strong** and [links](/docs) in it. */
export function Inline({ text }: { text: string }) {
  // Parts of a fixed text have no identity but their place, which children have without a key.
  return createElement(Fragment, null, ...text.split(mark).map(rendered));
}

function rendered(part: string): ReactNode {
  if (/^`.*`$/s.test(part)) return <Code text={part.slice(1, -1)} />;
  if (part.startsWith('**')) return <strong className="font-semibold">{part.slice(2, -2)}</strong>;
  const [, words, href] = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(part) ?? [];
  if (words === undefined || href === undefined) return part;
  const isPage = /^\/docs(?!.*\.md)/.test(href);
  return isPage ? (
    <PageLink href={href} className="link">
      {keepHyphenatedWords(words)}
    </PageLink>
  ) : (
    <a href={href} className="link">
      {words}
    </a>
  );
}

/** What a name has in letters at most; it stays in one line, also where it has hyphens. */
const nameLength = 24;

function Code({ text }: { text: string }) {
  const isName = text.length <= nameLength;
  return (
    <code
      className={classNames(
        'rounded-control bg-sunken box-decoration-clone px-1 py-0.5 font-mono text-[0.9em]',
        isName && 'whitespace-nowrap',
      )}
    >
      {isName ? text : withBreaks(text)}
    </code>
  );
}

/** A line ends between the parts of a long word rather than before its last letter. */
function withBreaks(text: string): ReactNode {
  const partsOf = (word: string) =>
    word.length <= nameLength ? word : word.split(/(?<=\w[_./-])(?=[\w{])|(?<=\w)(?=[A-Z][a-z])/);
  const [first, ...others] = text.split(/(?<=\s)/).flatMap(partsOf);
  return createElement(Fragment, null, first, ...others.map(afterBreak));
}

function afterBreak(part: string): ReactNode {
  return (
    <>
      <wbr />
      {part}
    </>
  );
}
