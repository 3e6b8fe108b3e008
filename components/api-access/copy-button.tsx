'use client';

import { createContext, type ReactNode, useContext, useState } from 'react';
import { capitalize } from '#src/text.ts';
import { Button } from '../ui/button.tsx';
import { toast } from '../ui/toast.tsx';

type Mask = { isRevealed: boolean; setRevealed: (isRevealed: boolean) => void };

// Outside a MaskProvider, keys are shown.
const Context = createContext<Mask>({ isRevealed: true, setRevealed: () => undefined });

/** Masks the key until the reader reveals it, because screens are often shared. */
export function MaskProvider({ children, isOpen = false }: { children: ReactNode; isOpen?: boolean }) {
  const [isRevealed, setRevealed] = useState(isOpen);
  return <Context value={{ isRevealed, setRevealed }}>{children}</Context>;
}

export const useMask = (): Mask => useContext(Context);

type CopyButtonProps = {
  /** A function if the text is not on the page. */
  text: string | (() => string);
  name: string;
  label?: string;
};

export function CopyButton({ text, name, label = 'Copy' }: CopyButtonProps) {
  const [failed, setFailed] = useState<string>();
  const hasFailed = failed !== undefined;
  const { isRevealed } = useMask();
  const copy = async () => {
    const copied = typeof text === 'string' ? text : text();
    try {
      await navigator.clipboard.writeText(copied);
      setFailed(undefined);
      toast(`${capitalize(name)} copied.`);
    } catch {
      setFailed(copied);
    }
  };
  return (
    <>
      <Button
        onClick={() => void copy()}
        aria-label={label === 'Copy' ? `Copy ${name}` : undefined}
        className="noscript:hidden"
      >
        {label}
      </Button>
      <span role="status" className={hasFailed ? 'basis-full text-small text-bad' : 'sr-only'}>
        {hasFailed
          ? `Your browser blocked copying. ${isRevealed ? 'Select the text and copy it.' : 'Show the API key, then select the text and copy it.'}`
          : ''}
      </span>
      {hasFailed && typeof text !== 'string' && (
        <pre className="min-w-0 basis-full font-mono text-small whitespace-pre-wrap wrap-anywhere">
          {failed}
        </pre>
      )}
    </>
  );
}
