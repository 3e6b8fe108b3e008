'use client';

import type { Stripe } from '@stripe/stripe-js';
import {
  type ComponentType,
  type MouseEvent,
  useCallback,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react';
import { flushSync } from 'react-dom';
import { Button, buttonClass, RetryButton } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { Skeleton } from '../ui/pending.tsx';
import { toast } from '../ui/toast.tsx';
import type { CardFormProps } from './card-form.tsx';
import type { StripeConfig } from './stripe-loader.ts';

type Parts = { CardForm: ComponentType<CardFormProps>; stripe: Stripe };
type Step = { name: 'closed' | 'loading' | 'failed' } | ({ name: 'open' } & Parts);

/** Loaded when the button gets the focus or the pointer, not with the page. */
async function loadParts(config: StripeConfig): Promise<Parts> {
  const [{ CardForm }, { loadStripeSdk }] = await Promise.all([
    import('./card-form.tsx'),
    import('./stripe-loader.ts'),
  ]);
  return { CardForm, stripe: await loadStripeSdk(config) };
}

const loadTimeoutMs = 15_000;

/** Loads the parts once, and again after a failure or 15 seconds. */
function useParts(config: StripeConfig): () => Promise<Parts> {
  const parts = useRef<Promise<Parts> | null>(null);
  return () => {
    parts.current ??= withTimeout(loadParts(config), loadTimeoutMs).catch((error: unknown) => {
      parts.current = null;
      throw error;
    });
    return parts.current;
  };
}

function withTimeout<Value>(promise: Promise<Value>, timeoutMs: number): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('The card form did not load in time.')), timeoutMs);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

const headingId = 'add-card';

type AddCardProps = { config: StripeConfig; refreshPage: () => Promise<void> };

/** Opens once when the URL names it: a click on the link is not lost before the page's scripts have run. */
export function AddCard({ config, refreshPage }: AddCardProps) {
  const [step, setStep] = useState<Step>({ name: 'closed' });
  const opener = useRef<HTMLAnchorElement>(null);
  const fetchParts = useParts(config);
  const open = () => {
    setStep({ name: 'loading' });
    fetchParts().then(
      (loaded) => setStep({ name: 'open', ...loaded }),
      () => setStep({ name: 'failed' }),
    );
  };
  const openFromUrl = useEffectEvent(() => {
    if (window.location.hash !== `#${headingId}`) return;
    open();
    // After the effects of Next's router, which otherwise restores the URL with its next update.
    queueMicrotask(() => window.history.replaceState(null, '', window.location.pathname));
  });
  useEffect(() => openFromUrl(), []);
  const fail = useCallback(() => {
    // The form goes away with the field that may have the focus.
    const title = document.getElementById(headingId);
    if (title?.closest('section')?.contains(document.activeElement)) title.focus();
    setStep({ name: 'failed' });
  }, []);
  const close = () => {
    flushSync(() => setStep({ name: 'closed' }));
    opener.current?.focus();
  };
  const prepare = () => void fetchParts().catch(() => undefined);
  const openHere = (event: MouseEvent) => {
    event.preventDefault();
    open();
  };
  const isSandbox = config.sandboxScript !== undefined;
  const added = (name: string) => {
    close();
    toast(`${name} was added.`);
    // The result of the bank's check of the ZIP code is not in the API's response. If this fails, the next load shows it.
    refreshPage().catch(() => undefined);
  };
  return (
    <>
      <p role="status" className="sr-only">
        {step.name === 'loading' && 'Loading the card form'}
      </p>
      {step.name === 'closed' ? (
        <div>
          <a
            ref={opener}
            href={`#${headingId}`}
            onClick={openHere}
            onPointerEnter={prepare}
            onFocus={prepare}
            className={buttonClass('primary', 'noscript:hidden')}
          >
            Add a card
          </a>
          <noscript>
            <p className="text-muted">Turn on JavaScript to add or remove cards.</p>
          </noscript>
        </div>
      ) : (
        <section aria-labelledby={headingId} tabIndex={-1} className="border-t border-line pt-5 outline-none">
          <FormTitle />
          {step.name === 'failed' ? (
            <LoadFailure onRetry={open} onCancel={close} />
          ) : (
            <div className="grid max-w-xl gap-5">
              {isSandbox && <SandboxNotice />}
              {step.name === 'open' ? (
                <step.CardForm
                  stripe={step.stripe}
                  isSandbox={isSandbox}
                  onAdded={added}
                  onCancel={close}
                  onTimeout={fail}
                />
              ) : (
                <CardFormSkeleton />
              )}
              <p className="text-small text-muted">
                Your card number goes directly to our payment processor. We never store it.
              </p>
            </div>
          )}
        </section>
      )}
    </>
  );
}

function FormTitle() {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    title.current?.focus({ preventScroll: true });
    title.current?.closest('section')?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <h2 id={headingId} ref={title} tabIndex={-1} className="mb-4 text-lead font-semibold outline-none">
      Add a card
    </h2>
  );
}

function LoadFailure({ onRetry, onCancel }: { onRetry: () => void; onCancel: () => void }) {
  const [wasOnline] = useState(() => navigator.onLine);
  return (
    <Notice
      role="alert"
      tone="bad"
      title="The card form didn’t load."
      action={
        <span className="flex flex-wrap gap-3">
          <RetryButton onRetry={onRetry} />
          <Button variant="ghost" onClick={onCancel}>
            Close
          </Button>
        </span>
      }
    >
      {wasOnline
        ? 'Your network or a browser extension may be blocking our payment processor. If this keeps happening, reload the page.'
        : 'You’re offline. Reconnect and try again.'}{' '}
      Nothing was saved.
    </Notice>
  );
}

function SandboxNotice() {
  return (
    <div id="sandbox-notice">
      <Notice tone="neutral" title="Test mode.">
        Use a test card such as <span className="font-mono whitespace-nowrap">4242 4242 4242 4242</span> with
        any future date and any CVC.
      </Notice>
    </div>
  );
}

/** As tall as the form, so that nothing below it moves when it loads. */
function CardFormSkeleton() {
  return (
    <div className="grid gap-5">
      <FieldsSkeleton />
      <FieldsSkeleton />
      <Skeleton className="h-11 w-32" />
    </div>
  );
}

function FieldsSkeleton() {
  return (
    <div className="grid gap-x-4 gap-y-5 sm:grid-cols-2">
      <Skeleton className="h-18 sm:col-span-2" />
      <Skeleton className="h-18" />
      <Skeleton className="h-18" />
    </div>
  );
}
