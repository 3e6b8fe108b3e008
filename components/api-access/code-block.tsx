import type { ReactNode } from 'react';
import { IndentedText } from '../ui/indented-text.tsx';
import { CopyButton } from './api-key.tsx';
import type { CodeSample } from './code-samples.ts';

type CodeBlockProps = CodeSample & {
  /** What stands there in place of the code that is copied. */
  shown?: ReactNode;
};

/** Lines to copy. They wrap, so that nothing is hidden on a narrow screen; what is copied has no added breaks. */
export function CodeBlock({ name, code, shown = <IndentedText text={code} /> }: CodeBlockProps) {
  return (
    <figure>
      <figcaption className="mb-2 flex flex-wrap items-center justify-between gap-3">
        <span className="flex-[1_1_8rem] font-medium">{name}</span>
        <CopyButton text={code} what={`“${name}”`} />
      </figcaption>
      <pre className="rounded-control border border-line bg-sunken p-4 font-mono text-small whitespace-pre-wrap">
        <code>{shown}</code>
      </pre>
    </figure>
  );
}
