'use client';

import { useEffect, useRef, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { durationText } from '../ui/duration.ts';
import { SignInAgain } from '../ui/failure-notice.tsx';
import { keepInput, SecretField, useFormAction } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { CopyableText } from './api-key.tsx';

/** Without advice, the notice says when to try again. */
const failures = {
  too_many_failures: { title: 'Too many incorrect attempts.', advice: null },
  too_many_requests: { title: 'Too many requests.', advice: null },
  too_many: {
    title: 'You’ve rotated your secret too many times.',
    advice: 'You can create up to 5 secrets in 24 hours. Try again tomorrow.',
  },
  newest_changed: {
    title: 'Your secret changed after you opened this page.',
    advice: 'If you have your newest secret, use it. If you don’t, rotate again.',
  },
  cross_site: {
    title: 'We couldn’t verify that request.',
    advice: 'Open this page directly and try again.',
  },
  signed_out: {
    title: 'You were signed out.',
    advice: <SignInAgain outcome="Your secret wasn’t rotated." />,
  },
  unavailable: {
    title: 'We couldn’t confirm that your secret was rotated.',
    advice:
      'If it was, your current secret stops working in 24 hours. To get a new one, try again in a minute.',
  },
};

type FailedState = { kind: keyof typeof failures; retryAfterSeconds?: number | undefined };

const fieldErrors = {
  missing: 'Enter your API secret.',
  secret_invalid: 'This isn’t your API secret. Check that you copied all of it.',
  newest_in_use: 'This is your previous secret, and the newest one is in use. Enter the newest one.',
};

export type RotateSecretState =
  | { kind?: undefined }
  | { kind: keyof typeof fieldErrors }
  | FailedState
  | RotatedState;

type RotatedState = { kind: 'rotated'; apiSecret: string; oldSecretEnds: string };

type RotateSecretFormProps = {
  action: (state: RotateSecretState, form: FormData) => Promise<RotateSecretState>;
  /** Of the page. The browser may have signed in to another account since. */
  customerId: number;
  /** Whether a previous secret is in its overlap period. */
  hasPrevious: boolean;
  /** So that a form that is sent twice rotates once. */
  newestSecretId: number | undefined;
};

/** Works without JavaScript. */
export function RotateSecretForm({ action, customerId, hasPrevious, newestSecretId }: RotateSecretFormProps) {
  const [state, submit, isPending] = useFormAction(action, {}, { kind: 'unavailable' });
  const error = fieldErrorOf(state);
  // Stays on the page when a later rotation is refused.
  const [rotated, setRotated] = useState<RotatedState>();
  if (state.kind === 'rotated' && state !== rotated) setRotated(state);
  const outcome = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (fieldErrorOf(state)) document.getElementById('current-secret')?.focus();
    else if (state.kind) outcome.current?.focus();
  }, [state]);
  return (
    <form action={submit} onReset={keepInput} className="mt-5 grid gap-4 border-t border-line pt-4">
      <input type="hidden" name="customer" value={customerId} />
      <input type="hidden" name="newestSecretId" value={newestSecretId} />
      <div ref={outcome} tabIndex={-1} className="grid gap-4 outline-none empty:hidden">
        {rotated && <NewSecret {...rotated} />}
        <Failure state={state} />
      </div>
      <SecretField
        // Empty for the next rotation, which needs another secret.
        key={rotated?.apiSecret ?? 'first'}
        id="current-secret"
        label="Current API secret"
        hint={
          hasPrevious
            ? 'Confirms the rotation. Enter your newest secret, or the previous one if the newest was never used. The other one stops working immediately.'
            : 'Confirms the rotation and keeps working for 24 hours.'
        }
        error={error}
      />
      <div>
        <Button type="submit" isBusy={isPending} busyLabel="Rotating…">
          Rotate secret
        </Button>
      </div>
    </form>
  );
}

function fieldErrorOf({ kind }: RotateSecretState): string | undefined {
  return kind && kind in fieldErrors ? fieldErrors[kind as keyof typeof fieldErrors] : undefined;
}

function NewSecret({ apiSecret, oldSecretEnds }: RotatedState) {
  return (
    <>
      <Notice tone="good" role="status" title="This is your new API secret.">
        Save it now. We can’t show it again. Your old secret works until {oldSecretEnds}.
      </Notice>
      <CopyableText text={apiSecret} name="API secret" />
    </>
  );
}

function Failure({ state }: { state: RotateSecretState }) {
  if (!isFailed(state)) return null;
  const { title, advice } = failures[state.kind];
  return (
    <Notice tone="bad" role="alert" title={title}>
      {advice ?? `Try again in ${durationText(state.retryAfterSeconds ?? 60)}.`}
    </Notice>
  );
}

const isFailed = (state: RotateSecretState): state is FailedState =>
  state.kind !== undefined && state.kind in failures;
