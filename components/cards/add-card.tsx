'use client';

import type { Stripe } from '@stripe/stripe-js';
import { type ComponentType, useCallback, useEffect, useRef, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { toast } from '../ui/toast.tsx';
import type { CardFormProps } from './card-form.tsx';
import { CardFormSkeleton } from './card-form-skeleton.tsx';
import { StandInNotice } from './sandbox-notice.tsx';
import type { CardProvider } from './stripe-loader.ts';

type Parts = { CardForm: ComponentType<CardFormProps>; stripe: Stripe };
type Step = { name: 'closed' | 'loading' | 'failed' } | ({ name: 'open' } & Parts);

/** The form and the provider's script: fetched when someone means to use them, not with the page. */
async function loadParts(provider: CardProvider): Promise<Parts> {
  const [{ CardForm }, { loadCardProvider }] = await Promise.all([
    import('./card-form.tsx'),
    import('./stripe-loader.ts'),
  ]);
  return { CardForm, stripe: await loadCardProvider(provider) };
}

/** Fetches the parts once, and again after it failed. */
function useParts(provider: CardProvider): () => Promise<Parts> {
  const parts = useRef<Promise<Parts> | null>(null);
  return () => {
    parts.current ??= loadParts(provider);
    parts.current.catch(() => {
      parts.current = null;
    });
    return parts.current;
  };
}

type AddCardProps = {
  provider: CardProvider;
  /** One below the heading that it stands under. */
  heading: 'h2' | 'h3';
};

export function AddCard({ provider, heading }: AddCardProps) {
  const [step, setStep] = useState<Step>({ name: 'closed' });
  const opener = useRef<HTMLDivElement>(null);
  const fetchParts = useParts(provider);
  const open = () => {
    setStep({ name: 'loading' });
    fetchParts().then(
      (loaded) => setStep({ name: 'open', ...loaded }),
      () => setStep({ name: 'failed' }),
    );
  };
  const stall = useCallback(() => setStep({ name: 'failed' }), []);
  const close = () => {
    setStep({ name: 'closed' });
    requestAnimationFrame(() => opener.current?.querySelector('button')?.focus());
  };
  if (step.name === 'closed') {
    const prepare = () => void fetchParts().catch(() => undefined);
    return (
      <div ref={opener}>
        <Button
          look="main"
          onClick={open}
          onPointerEnter={prepare}
          onFocus={prepare}
          className="noscript:hidden"
        >
          Add a card
        </Button>
        <noscript>
          <p className="text-muted">Adding and removing cards needs JavaScript.</p>
        </noscript>
      </div>
    );
  }
  const isStandIn = provider.standInOrigin !== null;
  const added = (name: string) => {
    close();
    toast(`${name} was added.`);
  };
  return (
    <section aria-labelledby="add-card" className="border-t border-line pt-5">
      <FormTitle Heading={heading} />
      {step.name === 'failed' ? (
        <LoadFailure onRetry={open} onCancel={close} />
      ) : (
        <div className="grid max-w-xl gap-5">
          {isStandIn && <StandInNotice />}
          {step.name === 'open' ? (
            <step.CardForm
              stripe={step.stripe}
              isStandIn={isStandIn}
              onAdded={added}
              onCancel={close}
              onStalled={stall}
            />
          ) : (
            <CardFormSkeleton />
          )}
          <p className="text-small text-muted">
            The card’s number goes straight to the card service and is never kept here.
          </p>
        </div>
      )}
    </section>
  );
}

function FormTitle({ Heading }: { Heading: AddCardProps['heading'] }) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    title.current?.focus({ preventScroll: true });
    title.current?.closest('section')?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <Heading id="add-card" ref={title} tabIndex={-1} className="mb-4 text-lead font-semibold outline-none">
      Add a card
    </Heading>
  );
}

function LoadFailure({ onRetry, onCancel }: { onRetry: () => void; onCancel: () => void }) {
  const [wasOnline] = useState(() => navigator.onLine);
  return (
    <Notice
      role="alert"
      tone="bad"
      title="The card form could not be loaded."
      action={
        <span className="flex flex-wrap gap-3">
          <Button onClick={onRetry}>Try again</Button>
          <Button look="quiet" onClick={onCancel}>
            Close
          </Button>
        </span>
      }
    >
      {wasOnline
        ? 'It comes from the card service, which a network or an extension of the browser can block.'
        : 'You are offline. Try again once you are connected.'}{' '}
      Nothing was saved.
    </Notice>
  );
}
