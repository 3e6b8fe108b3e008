'use server';

import { refresh } from 'next/cache';
import { headers } from 'next/headers';
import type { RotateSecretState } from '#components/api-access/rotate-secret-form.tsx';
import { formatDay, formatTime, zoneName } from '#components/ui/dates.tsx';
import { HttpProblem } from '#src/api/problems.ts';
import { rotateSessionSecret } from '#src/api/rotate-secret.ts';
import { services } from '#src/api/services.ts';
import { clientOf, isCrossSite, readSession } from '#src/api/session.ts';
import { DomainError } from '#src/errors.ts';

export async function rotateSecret(_previous: RotateSecretState, form: FormData): Promise<RotateSecretState> {
  // Callers can send anything to an action.
  if (!(form instanceof FormData)) return { kind: 'unavailable' };
  const requestHeaders = await headers();
  if (isCrossSite(services(), requestHeaders)) return { kind: 'cross_site' };
  const entered = form.get('apiSecret');
  const currentSecret = typeof entered === 'string' ? entered.trim() : '';
  if (!currentSecret) return { kind: 'missing' };
  try {
    const session = await readSession(services(), requestHeaders.get('cookie'));
    if (!session) return { kind: 'signed_out' };
    const rotated = await rotateSessionSecret(services(), session, {
      currentSecret,
      ...clientOf(requestHeaders),
    });
    const { timezone } = session.city;
    const ends = rotated.oldSecretExpiresAt;
    refresh();
    return {
      kind: 'rotated',
      apiSecret: rotated.apiSecret,
      oldSecretEnds: `${formatDay(ends, timezone)}, ${formatTime(ends, timezone)}, ${zoneName(timezone)}`,
    };
  } catch (error) {
    return failureOf(error);
  }
}

function failureOf(error: unknown): RotateSecretState {
  if (error instanceof DomainError && error.code === 'secret_invalid') return { kind: 'secret_invalid' };
  if (error instanceof DomainError && error.code === 'refused') return { kind: 'too_many_secrets' };
  if (error instanceof HttpProblem && error.retryAfterSeconds !== undefined)
    return { kind: 'too_many_failures', retryAfterSeconds: error.retryAfterSeconds };
  return { kind: 'unavailable' };
}
