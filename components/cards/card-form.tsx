'use client';

import { Elements, useElements, useStripe } from '@stripe/react-stripe-js';
import type { Stripe } from '@stripe/stripe-js';
import { type FormEvent, useEffect, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { FailureNotice } from '../ui/failure-notice.tsx';
import { Notice } from '../ui/notice.tsx';
import { type Billing, BillingFields, zipProblem } from './billing-fields.tsx';
import { cardName } from './card-format.ts';
import { fieldOf } from './card-messages.ts';
import { ProviderFields } from './provider-fields.tsx';
import { type Outcome, useCardSubmission } from './use-card-submission.ts';
import { useProviderFields } from './use-provider-fields.ts';

export type CardFormProps = {
  stripe: Stripe;
  isStandIn: boolean;
  onAdded: (cardName: string) => void;
  onCancel: () => void;
  /** The provider's fields did not come in time. */
  onStalled: () => void;
};

export function CardForm({ stripe, ...rest }: CardFormProps) {
  return (
    <Elements stripe={stripe}>
      <Form {...rest} />
    </Elements>
  );
}

const fieldsPatienceMs = 20_000;

type Problem = { words: string } | Extract<Outcome, { kind: 'failed' }>;

function Form({ isStandIn, onAdded, onCancel, onStalled }: Omit<CardFormProps, 'stripe'>) {
  const elements = useElements();
  const { isBusy, submit, forget } = useCardSubmission(useStripe(), elements);
  const fields = useProviderFields(elements, forget);
  useEffect(() => {
    if (fields.isReady) return;
    const timer = setTimeout(onStalled, fieldsPatienceMs);
    return () => clearTimeout(timer);
  }, [fields.isReady, onStalled]);
  const [billing, setBilling] = useState<Billing>({ name: '', country: 'US', zip: '' });
  const [zipError, setZipError] = useState<string>();
  const [problem, setProblem] = useState<Problem | null>(null);

  const show = (outcome: Outcome) => {
    if (outcome.kind === 'failed') return setProblem(outcome);
    if (outcome.kind === 'answered' && outcome.answer.status) return onAdded(cardName(outcome.answer.card));
    const { code, message } = outcome.kind === 'answered' ? codeAndMessage(outcome.answer) : outcome;
    const field = fieldOf(code);
    if (field) fields.show({ [field]: message });
    else setProblem({ words: message });
  };

  const send = async () => {
    if (isBusy) return;
    setProblem(null);
    const wrongZip = zipProblem(billing);
    setZipError(wrongZip);
    if (!fields.check()) return;
    if (wrongZip) return document.getElementById('card-zip')?.focus();
    show(await submit(billing));
  };

  return (
    <form
      noValidate
      aria-describedby={isStandIn ? 'stand-in' : undefined}
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        void send();
      }}
      className="grid gap-5"
    >
      <ProviderFields fields={fields} />
      <div className="grid gap-x-4 gap-y-5 sm:grid-cols-2">
        <BillingFields
          billing={billing}
          zipError={zipError}
          onChange={(changed) => {
            setBilling(changed);
            setZipError(undefined);
            forget();
          }}
        />
      </div>
      {problem && <ProblemNotice problem={problem} />}
      <div className="flex flex-wrap gap-3">
        <Button type="submit" look="main" isBusy={isBusy} busyLabel="Adding card…">
          Add card
        </Button>
        <Button look="quiet" onClick={onCancel} isBusy={isBusy}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

function codeAndMessage(answer: { code?: string; message: string }): {
  code: string | undefined;
  message: string;
} {
  return { code: answer.code, message: answer.message };
}

const notKnownYet = 'We don’t know yet whether it was saved.';

/** The form's own button tries again, and sends what is not known yet under the same key. */
function ProblemNotice({ problem }: { problem: Problem }) {
  if ('error' in problem) {
    const { error, isUnsure } = problem;
    return (
      <FailureNotice
        error={error}
        safe={isUnsure ? notKnownYet : 'Nothing was saved.'}
        {...(isUnsure && { unsure: `${notKnownYet} Try again: it is added once at most.` })}
      />
    );
  }
  return <Notice role="alert" tone="bad" title={problem.words} />;
}
