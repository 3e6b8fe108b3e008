'use client';

import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { toast } from '../ui/toast.tsx';

/** Puts a text on the clipboard and says so; where the browser does not let it, the text can be selected by hand. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [hasFailed, setFailed] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setFailed(false);
      toast(`${what} copied.`);
    } catch {
      setFailed(true);
    }
  };
  return (
    <>
      <Button onClick={() => void copy()} aria-label={`Copy ${what}`}>
        Copy
      </Button>
      <span role="status" className={hasFailed ? 'text-small text-bad' : 'sr-only'}>
        {hasFailed ? 'The browser did not allow it. Select the text and copy it by hand.' : ''}
      </span>
    </>
  );
}

/** The key, masked until asked for: a screen is often shared. */
export function ApiKey({ apiKey }: { apiKey: string }) {
  const [isShown, setShown] = useState(false);
  return (
    <div className="flex flex-wrap items-center gap-3">
      <code className="hit flex min-w-0 flex-[1_1_20rem] items-center rounded-control border border-line-firm bg-sunken px-3 font-mono text-small">
        {isShown ? apiKey : masked(apiKey)}
      </code>
      <div className="flex flex-wrap items-center gap-3">
        <Button aria-pressed={isShown} aria-label="Show the API key" onClick={() => setShown(!isShown)}>
          {isShown ? 'Hide' : 'Show'}
        </Button>
        <CopyButton text={apiKey} what="API key" />
      </div>
    </div>
  );
}

/** `key_test_••••••••4fQ2`: enough to tell two keys apart. */
function masked(apiKey: string): string {
  const prefix = /^[a-z]+_[a-z]+_/.exec(apiKey)?.[0] ?? '';
  return `${prefix}${'•'.repeat(12)}${apiKey.slice(-4)}`;
}
