'use client';

import { Elements, useElements, useStripe } from '@stripe/react-stripe-js';
import type { Stripe } from '@stripe/stripe-js';
import { type FormEvent, useEffect, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { FailureNotice } from '../ui/failure-notice.tsx';
import { Notice } from '../ui/notice.tsx';
import { type Billing, BillingFields, zipErrorOf } from './billing-fields.tsx';
import { cardName } from './card-format.ts';
import { ProviderFields } from './provider-fields.tsx';
import { type Outcome, useCardSubmission } from './use-card-submission.ts';
import { fieldOf, useProviderFields } from './use-provider-fields.ts';

export type CardFormProps = {
  stripe: Stripe;
  isSandbox: boolean;
  onAdded: (cardName: string) => void;
  onCancel: () => void;
  onTimeout: () => void;
};

export function CardForm({ stripe, ...rest }: CardFormProps) {
  return (
    <Elements stripe={stripe}>
      <Form {...rest} />
    </Elements>
  );
}

const fieldsTimeoutMs = 20_000;

type Problem = { message: string } | Extract<Outcome, { kind: 'failed' }>;

function Form({ isSandbox, onAdded, onCancel, onTimeout }: Omit<CardFormProps, 'stripe'>) {
  const elements = useElements();
  const { isBusy, submit, reset } = useCardSubmission(useStripe(), elements);
  const fields = useProviderFields(elements, reset);
  useEffect(() => {
    if (fields.isReady) return;
    const timer = setTimeout(onTimeout, fieldsTimeoutMs);
    return () => clearTimeout(timer);
  }, [fields.isReady, onTimeout]);
  const [billing, setBilling] = useState<Billing>({ name: '', country: 'US', zip: '' });
  const [zipError, setZipError] = useState<string>();
  const [problem, setProblem] = useState<Problem | null>(null);

  const show = (outcome: Outcome) => {
    if (outcome.kind === 'failed') return setProblem(outcome);
    if (outcome.kind === 'unconfirmed') return setProblem({ message: unconfirmedByBank });
    if (outcome.kind === 'responded' && outcome.response.status)
      return onAdded(cardName(outcome.response.card));
    const { code, message } = outcome.kind === 'responded' ? codeAndMessage(outcome.response) : outcome;
    const field = fieldOf(code);
    if (field) fields.show({ [field]: message });
    else setProblem({ message });
  };

  const send = async () => {
    if (isBusy) return;
    setProblem(null);
    const wrongZip = zipErrorOf(billing);
    setZipError(wrongZip);
    if (!fields.check()) return;
    if (wrongZip) return document.getElementById('card-zip')?.focus();
    show(await submit(billing));
  };

  return (
    <form
      noValidate
      aria-describedby={isSandbox ? 'sandbox-notice' : undefined}
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
            reset();
          }}
        />
      </div>
      {problem && <ProblemNotice problem={problem} />}
      <div className="flex flex-wrap gap-3">
        <Button type="submit" variant="primary" isBusy={isBusy} busyLabel="Adding card…">
          Add card
        </Button>
        <Button variant="ghost" onClick={onCancel} isBusy={isBusy}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

function codeAndMessage(response: { code?: string; message: string }): {
  code: string | undefined;
  message: string;
} {
  return { code: response.code, message: response.message };
}

const unconfirmedByBank =
  'You haven’t finished your bank’s confirmation, so the card wasn’t added. Try again to continue.';
const unconfirmed = 'We couldn’t confirm that the card was saved.';

/** The form's own button retries. */
function ProblemNotice({ problem }: { problem: Problem }) {
  if ('error' in problem) {
    const { error, isUncertain } = problem;
    return (
      <FailureNotice
        error={error}
        outcome={isUncertain ? unconfirmed : 'Nothing was saved.'}
        {...(isUncertain && {
          unknownOutcome: `${unconfirmed} It’s safe to try again; it won’t be added twice.`,
        })}
      />
    );
  }
  return <Notice role="alert" tone="bad" title={problem.message} />;
}
