'use server';

import { cookies, headers } from 'next/headers';
import { redirect } from 'next/navigation';
import type { SignInState } from '#components/sign-in/sign-in-form.tsx';
import { sitePath } from '#components/sign-in/site-path.ts';
import { toProblem } from '#src/api/problems.ts';
import { services } from '#src/api/services.ts';
import { clientOf, isCrossSite, openSession } from '#src/api/session.ts';
import { readCredential } from '#src/text.ts';

export async function signIn(_previous: SignInState, form: FormData): Promise<SignInState> {
  // Callers can send anything to an action.
  if (!(form instanceof FormData)) return { kind: 'unavailable' };
  const apiKey = readCredential(form.get('apiKey'));
  const apiSecret = readCredential(form.get('apiSecret'));
  const failure = await tryToSignIn(apiKey, apiSecret);
  if (failure) return { apiKey: apiKey.slice(0, 200), ...failure };
  // For a redirect, Next would request the page from itself, at a URL that it may not reach. So the form loads the page.
  // Delete when Next leaves that to the browser.
  if ((await headers()).has('next-action')) return { kind: 'signed_in' };
  redirect(sitePath(form.get('next')));
}

/** @returns undefined when the session is open */
async function tryToSignIn(
  apiKey: string,
  apiSecret: string,
): Promise<Omit<SignInState, 'apiKey'> | undefined> {
  const requestHeaders = await headers();
  if (isCrossSite(services(), requestHeaders)) return { kind: 'cross_site' };
  if (!apiKey || !apiSecret) return { kind: 'missing', isKeyMissing: !apiKey, isSecretMissing: !apiSecret };
  try {
    const credentials = { apiKey, apiSecret, headers: requestHeaders };
    const session = await openSession(services(), { ...credentials, ...clientOf(requestHeaders) });
    (await cookies()).set(session.name, session.value, session.options);
  } catch (error) {
    return failureOf(error);
  }
}

function failureOf(error: unknown): Omit<SignInState, 'apiKey'> {
  const { code, retryAfterSeconds } = toProblem(error);
  if (code === 'key_unknown' || code === 'secret_invalid' || code === 'account_disabled')
    return { kind: code };
  if (code === 'too_many_requests') return { kind: 'too_often', retryAfterSeconds };
  if (code === 'too_many_failures') return { kind: 'too_many', retryAfterSeconds };
  const level = code === 'unavailable' ? 'warn' : 'error';
  services().log[level]({ error }, 'A sign-in failed.');
  return { kind: 'unavailable' };
}
