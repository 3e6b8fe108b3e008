'use client';

import { Button } from '../ui/button.tsx';
import { CopyButton, MaskProvider, useMask } from './copy-button.tsx';

export function MaskedText({ text, apiKey }: { text: string; apiKey: string }) {
  return useMask().isRevealed ? text : text.replaceAll(apiKey, masked(apiKey));
}

/** `key_test_••••••••••••4fQ2` */
function masked(apiKey: string): string {
  const prefix = /^[a-z]+_[a-z]+_/.exec(apiKey)?.[0] ?? '';
  return `${prefix}${'•'.repeat(12)}${apiKey.slice(-4)}`;
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
        aria-label={`${isRevealed ? 'Hide' : 'Show'} the API key`}
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
