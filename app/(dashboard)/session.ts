import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { cache } from 'react';
import { countRequest } from '#src/api/rate-limits.ts';
import { services } from '#src/api/services.ts';
import { readSession, type Session } from '#src/api/session.ts';

/** One read per request for the layout and the page. Counts toward the customer's quota, which `proxy.ts` enforces. */
const currentSession = cache(async () => {
  const session = await readSession(services(), (await headers()).get('cookie'));
  if (session) await countRequest(services().rateLimits, session.customerId);
  return session;
});

/**
 * Redirects to the sign-in page without a session. Every page calls this, because layouts do not run again on client
 * navigation.
 */
export async function requireSession(): Promise<Session> {
  const session = await currentSession();
  if (session) return session;
  const path = (await headers()).get('x-page-path') ?? '/';
  redirect(path === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(path)}`);
}

/**
 * The session of a request by a page's script. Counts the request toward the customer's quota.
 * @returns a response if the request is not signed in, or over the quota
 */
export async function scriptSession(request: Request): Promise<Session | Response> {
  const session = await readSession(services(), request.headers.get('cookie'));
  // The browser may have signed in to another account since the page was rendered.
  const expected = request.headers.get('x-session-customer');
  const isOther = expected !== null && expected !== String(session?.customerId);
  if (!session || isOther) return scriptProblem(401, 'authentication_required', 'Sign in first.');
  const { refusal } = await countRequest(services().rateLimits, session.customerId);
  return refusal ? scriptProblem(429, refusal.code, refusal.message, refusal.headers) : session;
}

export function scriptProblem(
  status: number,
  type: string,
  message: string,
  headers: Record<string, string> = {},
): Response {
  const body = { error: { type, message } };
  return Response.json(body, { status, headers: { 'cache-control': 'no-store', ...headers } });
}
