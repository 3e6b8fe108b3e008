'use client';

import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { toast } from '../ui/toast.tsx';
import { MaskedText, MaskProvider, useMask } from './masked-key.tsx';

type CopyButtonProps = { text: string | (() => string); name: string; label?: string };

export function CopyButton({ text, name, label = 'Copy' }: CopyButtonProps) {
  const [hasFailed, setFailed] = useState(false);
  const { isRevealed } = useMask();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : text());
      setFailed(false);
      toast(`${name} copied.`);
    } catch {
      setFailed(true);
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
    </>
  );
}

const keyClass =
  'hit flex min-w-0 flex-[1_1_20rem] items-center rounded-control border border-line-firm bg-sunken px-2 py-1.5 font-mono text-small sm:px-3';

export function CopyableText({ text, name }: { text: string; name: string }) {
  return (
    <MaskProvider isOpen>
      <div className="flex flex-wrap items-center gap-3">
        <code className={`${keyClass} wrap-anywhere`}>{text}</code>
        <CopyButton text={text} name={name} />
      </div>
    </MaskProvider>
  );
}

export function ApiKey({ apiKey }: { apiKey: string }) {
  const { isRevealed, setRevealed } = useMask();
  return (
    <div className="flex flex-wrap items-center gap-3">
      <code className={keyClass}>
        <MaskedText text={apiKey} apiKey={apiKey} />
      </code>
      <Button
        aria-pressed={isRevealed}
        aria-label="Show the API key"
        onClick={() => setRevealed(!isRevealed)}
        className="noscript:hidden"
      >
        {isRevealed ? 'Hide' : 'Show'}
      </Button>
      <CopyButton text={apiKey} name="API key" />
      <noscript>
        <p className="text-muted">Turn on JavaScript to show or copy the key.</p>
      </noscript>
    </div>
  );
}
