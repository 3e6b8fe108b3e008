'use client';

import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { toast } from '../ui/toast.tsx';
import { TextWithKey, useShownKey } from './masked-key.tsx';

/** Puts a text on the clipboard and says so; where the browser does not let it, the text can be selected by hand. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [hasFailed, setFailed] = useState(false);
  const { isShown } = useShownKey();
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
      <Button onClick={() => void copy()} aria-label={`Copy ${what}`} className="noscript:hidden">
        Copy
      </Button>
      <span role="status" className={hasFailed ? 'basis-full text-small text-bad' : 'sr-only'}>
        {hasFailed
          ? `Your browser did not allow copying. ${isShown ? 'Select' : 'Show the API key first; then select'} the text and copy it by hand.`
          : ''}
      </span>
    </>
  );
}

/** The key, and the button that shows it, here and in every text with it. */
export function ApiKey({ apiKey }: { apiKey: string }) {
  const { isShown, setShown } = useShownKey();
  return (
    <div className="flex flex-wrap items-center gap-3">
      <code className="hit flex min-w-0 flex-[1_1_20rem] items-center rounded-control border border-line-firm bg-sunken px-2 py-1.5 font-mono sm:px-3 text-small">
        <TextWithKey text={apiKey} apiKey={apiKey} />
      </code>
      <Button
        aria-pressed={isShown}
        aria-label="Show the API key"
        onClick={() => setShown(!isShown)}
        className="noscript:hidden"
      >
        {isShown ? 'Hide' : 'Show'}
      </Button>
      <CopyButton text={apiKey} what="API key" />
      <noscript>
        <p className="text-muted">Showing and copying the key needs JavaScript.</p>
      </noscript>
    </div>
  );
}
