import type { ReactNode } from 'react';
import type { CodeSample } from './code-samples.ts';
import { CopyButton } from './copy-button.tsx';

type CodeBlockProps = CodeSample & {
  /** Shown instead of the code, which is still what is copied. */
  children: ReactNode;
};

export function CodeBlock({ name, code, children }: CodeBlockProps) {
  return (
    <figure>
      <figcaption className="mb-2 flex flex-wrap items-center justify-between gap-3">
        <span className="flex-[1_1_8rem] font-medium">{name}</span>
        <CopyButton text={code} name={`“${name}”`} />
      </figcaption>
      <pre className="rounded-control border border-line bg-sunken p-4 font-mono text-small whitespace-pre-wrap">
        <code>{children}</code>
      </pre>
    </figure>
  );
}
