'use client';

import { type ReactNode, useEffect, useRef } from 'react';
import { Button } from '../ui/button.tsx';
import { durationText } from '../ui/duration.ts';
import { credentialCharsMax, keepInput, SecretField, TextField, useFormAction } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { SupportContact } from '../ui/support-contact.tsx';

const titles = {
  missing: 'Enter your API key and secret.',
  key_unknown: 'We don’t recognize this API key.',
  secret_invalid: 'This API secret doesn’t match this API key.',
  account_disabled: 'Your account is disabled.',
  too_many: 'Too many failed sign-in attempts.',
  too_often: 'You’ve signed in too many times.',
  cross_site: 'We couldn’t verify that sign-in request.',
  unavailable: 'Sign-in isn’t available right now.',
};

export type SignInState = {
  kind?: keyof typeof titles | 'signed_in';
  /** Fills the field again. The secret is never sent back. */
  apiKey?: string;
  isKeyMissing?: boolean;
  isSecretMissing?: boolean;
  retryAfterSeconds?: number | undefined;
};

type SignInFormProps = {
  action: (state: SignInState, form: FormData) => Promise<SignInState>;
  /** Where to go after sign-in. */
  next: string;
};

/** Works without JavaScript. */
export function SignInForm({ action, next }: SignInFormProps) {
  const [state, submit, isPending] = useFormAction(action, {}, { kind: 'unavailable' });
  const isSignedIn = state.kind === 'signed_in';
  const notice = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // A new document, because its content security policy is another one.
    if (state.kind === 'signed_in') window.location.replace(next);
    else if (keyError(state)) document.getElementById('api-key')?.focus();
    else if (secretError(state)) document.getElementById('api-secret')?.focus();
    else if (state.kind) notice.current?.focus();
  }, [state, next]);
  return (
    <form action={submit} onReset={keepInput} className="grid gap-5">
      <input type="hidden" name="next" value={next} />
      {state.kind && state.kind !== 'signed_in' && (
        <div ref={notice} tabIndex={-1} role="alert" className="outline-none">
          <Notice tone="bad" title={titles[state.kind]}>
            <Help {...state} />
          </Notice>
        </div>
      )}
      <TextField
        id="api-key"
        name="apiKey"
        label="API key"
        hint="Starts with key_live_ or key_test_"
        autoCapitalize="none"
        maxLength={credentialCharsMax}
        isMono
        defaultValue={state.apiKey ?? ''}
        error={keyError(state)}
      />
      <SecretField
        id="api-secret"
        label="API secret"
        hint="Shown once, when it was issued"
        error={secretError(state)}
      />
      <Button
        type="submit"
        variant="primary"
        isBusy={isPending || isSignedIn}
        busyLabel="Signing in…"
        className="w-full"
      >
        Sign in
      </Button>
    </form>
  );
}

function keyError(state: SignInState): string | undefined {
  if (state.isKeyMissing) return 'Enter your API key.';
  return state.kind === 'key_unknown' ? 'Enter your account’s API key.' : undefined;
}

function secretError(state: SignInState): string | undefined {
  if (state.isSecretMissing) return 'Enter your API secret.';
  return state.kind === 'secret_invalid' ? 'Enter the secret for this key.' : undefined;
}

function Help({ kind, retryAfterSeconds = 60 }: SignInState): ReactNode {
  switch (kind) {
    case 'missing':
      return (
        <>
          You need both to sign in. If you don’t have them, contact <SupportContact />.
        </>
      );
    case 'key_unknown':
      return (
        <>
          Check that you copied the whole key, without spaces. If you did, contact <SupportContact />.
        </>
      );
    case 'secret_invalid':
      return (
        <>
          Check that you copied the whole secret. If it was rotated or lost, contact <SupportContact /> for a
          new one.
        </>
      );
    case 'account_disabled':
      return (
        <>
          To find out why or to reactivate it, contact <SupportContact />.
        </>
      );
    case 'too_many':
    case 'too_often':
      return `Try again in ${durationText(retryAfterSeconds)}.`;
    case 'cross_site':
      return 'Open the sign-in page directly and try again.';
    default:
      return 'We couldn’t check your key and secret. Try again in a minute.';
  }
}
