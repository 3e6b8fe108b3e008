'use client';

import type { Stripe } from '@stripe/stripe-js';
import { type ComponentType, useCallback, useEffect, useRef, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { LoadingLabel, Skeleton } from '../ui/skeleton.tsx';
import { toast } from '../ui/toast.tsx';
import type { CardFormProps } from './card-form.tsx';
import type { CardProvider } from './card-provider.ts';

type Parts = { CardForm: ComponentType<CardFormProps>; stripe: Stripe };
type Step = { name: 'closed' | 'loading' | 'failed' } | ({ name: 'open' } & Parts);

/** The form and the provider's script: fetched when someone means to use them, not with the page. */
async function loadParts(provider: CardProvider): Promise<Parts> {
  const [{ CardForm }, { loadCardProvider }] = await Promise.all([
    import('./card-form.tsx'),
    import('./card-provider.ts'),
  ]);
  return { CardForm, stripe: await loadCardProvider(provider) };
}

type AddCardProps = {
  provider: CardProvider;
  /** One below the heading that it stands under. */
  heading: 'h2' | 'h3';
};

export function AddCard({ provider, heading }: AddCardProps) {
  const [step, setStep] = useState<Step>({ name: 'closed' });
  const parts = useRef<Promise<Parts> | null>(null);
  const opener = useRef<HTMLDivElement>(null);
  const fetchParts = () => {
    parts.current ??= loadParts(provider);
    parts.current.catch(() => {
      parts.current = null;
    });
    return parts.current;
  };
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
        <Button look="main" onClick={open} onPointerEnter={prepare} onFocus={prepare}>
          Add a card
        </Button>
      </div>
    );
  }
  const added = (name: string) => {
    close();
    toast(`${name} was added.`);
  };
  return (
    <section aria-labelledby="add-card" className="border-t border-line pt-5">
      <FormTitle Heading={heading} />
      {step.name === 'loading' && <FormSkeleton />}
      {step.name === 'failed' && <LoadFailure onRetry={open} onCancel={close} />}
      {step.name === 'open' && (
        <step.CardForm
          stripe={step.stripe}
          isStandIn={provider.standInOrigin !== null}
          onAdded={added}
          onCancel={close}
          onStalled={stall}
        />
      )}
    </section>
  );
}

function FormTitle({ Heading }: { Heading: AddCardProps['heading'] }) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);
  return (
    <Heading id="add-card" ref={title} tabIndex={-1} className="mb-4 text-lead font-semibold outline-none">
      Add a card
    </Heading>
  );
}

function FormSkeleton() {
  return (
    <div className="grid max-w-xl gap-4">
      <LoadingLabel>Loading the card form</LoadingLabel>
      <Skeleton className="h-18" />
      <div className="grid gap-4 sm:grid-cols-2">
        <Skeleton className="h-18" />
        <Skeleton className="h-18" />
      </div>
      <Skeleton className="h-18" />
    </div>
  );
}

function LoadFailure({ onRetry, onCancel }: { onRetry: () => void; onCancel: () => void }) {
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
      It comes from the card service, which a network or an extension of the browser can block. Nothing was
      saved.
    </Notice>
  );
}
