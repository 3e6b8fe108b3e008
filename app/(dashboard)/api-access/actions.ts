'use server';

import { refresh } from 'next/cache';
import { headers } from 'next/headers';
import type { RotateSecretState } from '#components/api-access/rotate-secret-form.tsx';
import { formatDay, formatTime, zoneName } from '#components/ui/dates.tsx';
import { toProblem } from '#src/api/problems.ts';
import { countRequest } from '#src/api/rate-limits.ts';
import { services } from '#src/api/services.ts';
import { clientOf, isCrossSite, readSession, rotateSessionSecret } from '#src/api/session.ts';
import { readCredential } from '#src/text.ts';

export async function rotateSecret(_previous: RotateSecretState, form: FormData): Promise<RotateSecretState> {
  // Callers can send anything to an action.
  if (!(form instanceof FormData)) return { kind: 'unavailable' };
  const requestHeaders = await headers();
  if (isCrossSite(services(), requestHeaders)) return { kind: 'cross_site' };
  const currentSecret = readCredential(form.get('apiSecret'));
  if (!currentSecret) return { kind: 'missing' };
  const newestId = Number(form.get('newestSecretId'));
  const newestSecretId = Number.isSafeInteger(newestId) ? newestId : 0;
  const client = clientOf(requestHeaders);
  try {
    const session = await readSession(services(), requestHeaders.get('cookie'));
    if (!session || form.get('customer') !== String(session.customerId)) return { kind: 'signed_out' };
    const { refusal } = await countRequest(services().rateLimits, session.customerId);
    if (refusal) throw refusal;
    const input = { currentSecret, newestSecretId, ...client };
    const rotated = await rotateSessionSecret(services(), session, input);
    // The form gets the ID of the newest secret.
    refresh();
    if (rotated.outcome !== 'rotated') return { kind: rotated.outcome };
    const { timezone } = session.city;
    const ends = rotated.oldSecretExpiresAt;
    return {
      kind: 'rotated',
      apiSecret: rotated.apiSecret,
      oldSecretEnds: `${formatDay(ends, timezone)}, ${formatTime(ends, timezone)}, ${zoneName(timezone)}`,
    };
  } catch (error) {
    return failureOf(error, client.requestId);
  }
}

function failureOf(error: unknown, requestId: string | undefined): RotateSecretState {
  const problem = toProblem(error);
  if (problem.code === 'secret_invalid') return { kind: 'secret_invalid' };
  if (problem.code === 'account_disabled') return { kind: 'signed_out' };
  if (problem.code === 'too_many_failures' || problem.code === 'too_many_requests')
    return { kind: problem.code, retryAfterSeconds: problem.retryAfterSeconds };
  const level = problem.code === 'unavailable' ? 'warn' : 'error';
  services().log[level]({ requestId, error }, 'A secret could not be rotated.');
  // It may have been rotated, and the page shows that.
  refresh();
  return { kind: 'unavailable' };
}
