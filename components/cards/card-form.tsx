import { Elements, useElements } from '@stripe/react-stripe-js';
import type { Stripe } from '@stripe/stripe-js';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Button, RetryButton } from '../ui/button.tsx';
import { FailureNotice } from '../ui/failure-notice.tsx';
import { Notice } from '../ui/notice.tsx';
import { type Billing, BillingFields, zipErrorOf } from './billing-fields.tsx';
import { cardName } from './card-format.ts';
import { type CreatedRequest, type Outcome, requestOfFields, useCardSubmission } from './card-submission.ts';
import { fieldOf, ProviderFields, useProviderFields } from './provider-fields.tsx';
import { WalletButtons } from './wallet-buttons.tsx';

export type CardFormProps = {
  stripe: Stripe;
  isSandbox: boolean;
  onAdded: (cardName: string) => void;
  onCancel: () => void;
  onTimeout: () => void;
};

export function CardForm(props: CardFormProps) {
  return (
    <Elements stripe={props.stripe}>
      <Form {...props} />
    </Elements>
  );
}

const fieldsTimeoutMs = 20_000;

type Problem = ({ message: string } | Extract<Outcome, { kind: 'failed' }>) & {
  /** Continues what a wallet confirmed. For the card fields, the form's own button retries. */
  onRetry?: () => void;
};

function Form({ stripe, isSandbox, onAdded, onCancel, onTimeout }: CardFormProps) {
  const elements = useElements();
  const { isBusy, submit, reset } = useCardSubmission(stripe);
  /** A card that a wallet confirmed, which the fields do not change. */
  const isOfWallet = useRef(false);
  const onEdit = () => {
    if (!isOfWallet.current) reset();
  };
  const fields = useProviderFields(onEdit);
  const [billing, setBilling] = useState<Billing>({ name: '', country: 'US', zip: '' });
  const [zipError, setZipError] = useState<string>();
  const [problem, setProblem] = useState<Problem | null>(null);
  // A wallet needs no fields, and its outcome stays.
  const isWaiting = !(fields.isReady || isBusy || problem);
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setTimeout(onTimeout, fieldsTimeoutMs);
    return () => clearTimeout(timer);
  }, [isWaiting, onTimeout]);

  /** @param retryWallet if the card came from a wallet and not from the fields */
  const show = (outcome: Outcome, retryWallet?: () => void) => {
    const retry = retryWallet && { onRetry: retryWallet };
    if (outcome.kind === 'failed') return setProblem({ ...outcome, ...(outcome.isUncertain && retry) });
    if (outcome.kind === 'unconfirmed') return setProblem({ message: unconfirmedByBank, ...retry });
    if (outcome.kind === 'responded' && outcome.response.status)
      return onAdded(cardName(outcome.response.card));
    const { code, message } = codeAndMessage(outcome.kind === 'responded' ? outcome.response : outcome);
    const field = retryWallet ? undefined : fieldOf(code);
    if (field) fields.show({ [field]: message });
    else setProblem({ message });
  };

  const send = async () => {
    if (isBusy) return;
    if (isOfWallet.current) reset();
    isOfWallet.current = false;
    setProblem(null);
    const wrongZip = zipErrorOf(billing);
    setZipError(wrongZip);
    if (!fields.check()) return;
    if (wrongZip) return document.getElementById('card-zip')?.focus();
    show(await submit(() => requestOfFields(stripe, elements, billing)));
  };

  const sendWallet = async (create: () => Promise<CreatedRequest>) => {
    setProblem(null);
    show(await submit(create), () => void sendWallet(create));
  };

  return (
    <form
      noValidate
      aria-describedby={isSandbox ? 'sandbox-notice' : undefined}
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        void send();
      }}
      className="relative grid gap-5"
    >
      <WalletButtons
        stripe={stripe}
        isBusy={isBusy}
        onConfirm={(create) => {
          reset();
          isOfWallet.current = true;
          void sendWallet(create);
        }}
      />
      <ProviderFields fields={fields} />
      <div className="grid gap-x-4 gap-y-5 sm:grid-cols-2">
        <BillingFields
          billing={billing}
          zipError={zipError}
          onChange={(changed) => {
            setBilling(changed);
            setZipError(undefined);
            onEdit();
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

function codeAndMessage({ code, message }: { code?: string | undefined; message: string }) {
  // The API and Stripe.js write ASCII.
  return { code, message: message.replaceAll("'", '’') };
}

const unconfirmedByBank =
  'You haven’t finished your bank’s confirmation, so the card wasn’t added. Try again to continue.';
const unconfirmed = 'We couldn’t confirm that the card was saved.';

function ProblemNotice({ problem }: { problem: Problem }) {
  const { onRetry } = problem;
  if ('error' in problem) {
    const { error, isUncertain } = problem;
    return (
      <FailureNotice
        error={error}
        onRetry={onRetry}
        outcome={isUncertain ? unconfirmed : 'Nothing was saved.'}
        {...(isUncertain && {
          unknownOutcome: `${unconfirmed} It’s safe to try again; it won’t be added twice.`,
        })}
      />
    );
  }
  return (
    <Notice
      role="alert"
      tone="bad"
      title={problem.message}
      action={onRetry && <RetryButton onRetry={onRetry} />}
    />
  );
}
