'use server';

import { cookies, headers } from 'next/headers';
import { redirect } from 'next/navigation';
import type { SignInState } from '#components/sign-in/sign-in-form.tsx';
import { HttpProblem } from '#src/api/problems.ts';
import { isSameOrigin } from '#src/api/same-origin.ts';
import { closeSession, openSession } from '#src/api/session.ts';
import type { SessionCookie } from '#src/api/session-cookie.ts';
import { DomainError } from '#src/errors.ts';
import { sitePath } from './site-path.ts';

/** Opens a session and leads to the page that was asked for. The secret goes no further and is never sent back. */
export async function signIn(_previous: SignInState, form: FormData): Promise<SignInState> {
  const apiKey = textOf(form, 'apiKey');
  const apiSecret = textOf(form, 'apiSecret');
  const answer = await tryToSignIn(apiKey, apiSecret);
  if (answer) return { apiKey: apiKey.slice(0, 200), ...answer };
  redirect(sitePath(form.get('next')));
}

/** Ends the session here and on the server. */
export async function signOut(): Promise<void> {
  const sent = await headers();
  if (!isSameOrigin(sent, { isProofRequired: true })) return;
  await setCookie(await closeSession(sent.get('cookie')));
  redirect('/sign-in?signed-out');
}

/** @returns what went wrong, or nothing when the session is open */
async function tryToSignIn(
  apiKey: string,
  apiSecret: string,
): Promise<Omit<SignInState, 'apiKey'> | undefined> {
  const sent = await headers();
  if (!isSameOrigin(sent, { isProofRequired: true })) return { kind: 'cross_site' };
  if (!apiKey || !apiSecret) return { kind: 'missing', isKeyMissing: !apiKey, isSecretMissing: !apiSecret };
  try {
    await setCookie(
      await openSession({ apiKey, apiSecret, address: sent.get('x-forwarded-for') ?? '127.0.0.1' }),
    );
  } catch (error) {
    return failureOf(error);
  }
}

function failureOf(error: unknown): Omit<SignInState, 'apiKey'> {
  if (error instanceof DomainError) {
    const { code } = error;
    if (code === 'key_unknown' || code === 'secret_invalid' || code === 'account_disabled') {
      return { kind: code };
    }
  }
  if (error instanceof HttpProblem && error.retryAfterSeconds !== undefined) {
    return { kind: 'too_many', retryAfterSeconds: error.retryAfterSeconds };
  }
  return { kind: 'unavailable' };
}

async function setCookie({ name, value, options }: SessionCookie): Promise<void> {
  (await cookies()).set(name, value, options);
}

function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value.trim() : '';
}
