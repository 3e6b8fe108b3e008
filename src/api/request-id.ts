import { randomUUID } from 'node:crypto';
import { hasCardNumber } from './card-numbers.ts';

/**
 * The caller's own `X-Request-Id` where it is a sane token, else a new one. It goes to every log line, so a card
 * number never passes as one.
 */
export function requestIdOf(headers: Headers): string {
  const given = headers.get('x-request-id');
  return given && /^[A-Za-z0-9._:-]{8,64}$/.test(given) && !hasCardNumber(given) ? given : randomUUID();
}
