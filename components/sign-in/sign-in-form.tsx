'use client';

import { useActionState, useEffect, useRef } from 'react';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { durationText } from '../ui/retry-after.ts';
import { useSupportContact } from '../ui/support-contact.tsx';
import { SupportText } from '../ui/support-text.tsx';
import { SecretField } from './secret-field.tsx';

const titles = {
  missing: 'Enter your API key and secret.',
  key_unknown: 'We don’t know this API key.',
  secret_invalid: 'This API secret doesn’t work with this API key.',
  account_disabled: 'Your account is disabled.',
  too_many: 'Too many tries with a wrong key or secret.',
  cross_site: 'The form did not come from our own page.',
  unavailable: 'Signing in does not work right now.',
};

export type SignInState = {
  kind?: keyof typeof titles;
  /** Fills the field again. The secret is never sent back. */
  apiKey?: string;
  isKeyMissing?: boolean;
  isSecretMissing?: boolean;
  retryAfterSeconds?: number;
};

type SignInFormProps = {
  action: (state: SignInState, form: FormData) => Promise<SignInState>;
  /** Where to go after sign-in. */
  next: string;
};

/** Works without JavaScript. */
export function SignInForm({ action, next }: SignInFormProps) {
  const [state, submit, isBusy] = useActionState(action, {});
  const contact = useSupportContact();
  const notice = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (state.kind) notice.current?.focus();
  }, [state]);
  return (
    <form action={submit} className="grid gap-5">
      <input type="hidden" name="next" value={next} />
      {state.kind && (
        <div ref={notice} tabIndex={-1} role="alert" className="outline-none">
          <Notice tone="bad" title={titles[state.kind]}>
            <SupportText text={help(state, contact)} contact={contact} />
          </Notice>
        </div>
      )}
      <TextField
        id="api-key"
        name="apiKey"
        label="API key"
        hint="Starts with key_live_ or key_test_"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        isMono
        defaultValue={state.apiKey ?? ''}
        error={keyError(state)}
      />
      <SecretField error={secretError(state)} />
      <Button type="submit" variant="primary" isBusy={isBusy} busyLabel="Signing in…" className="w-full">
        Sign in
      </Button>
    </form>
  );
}

function keyError(state: SignInState): string | undefined {
  if (state.isKeyMissing) return 'Enter your API key.';
  return state.kind === 'key_unknown' ? 'Enter the key of your account.' : undefined;
}

function secretError(state: SignInState): string | undefined {
  if (state.isSecretMissing) return 'Enter your API secret.';
  return state.kind === 'secret_invalid' ? 'Enter the secret of this key.' : undefined;
}

function help(state: SignInState, supportContact: string): string {
  switch (state.kind) {
    case 'missing':
      return `Both are needed to sign in. If you don’t have them, ask ${supportContact}.`;
    case 'key_unknown':
      return `Check that the whole key was copied, without spaces. If it was, ask ${supportContact} which key is yours.`;
    case 'secret_invalid':
      return `Check that the whole secret was copied. If it was replaced or lost, ${supportContact} can issue a new one.`;
    case 'account_disabled':
      return `Ask ${supportContact} why, and how to have it opened again.`;
    case 'too_many':
      return `Try again in ${durationText(state.retryAfterSeconds ?? 60)}.`;
    case 'cross_site':
      return 'Open this page directly and sign in again.';
    default:
      return 'Nothing is wrong with what you typed. Try again in a minute.';
  }
}
