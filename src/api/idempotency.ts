import { createHash } from 'node:crypto';
import { db } from '#db/client.ts';
import { DomainError } from '#src/errors.ts';
import { claimKey, findKey, keepAnswer, releaseKey } from './idempotency-queries.ts';
import { HttpProblem } from './problems.ts';
import type { Answer } from './response.ts';

/** @throws HttpProblem 400 for a key that is not 1 to 255 printable ASCII characters */
export function idempotencyKeyOf(headers: Headers): string | null {
  const key = headers.get('idempotency-key');
  if (key !== null && !/^[\x20-\x7e]{1,255}$/.test(key)) throw new HttpProblem('idempotency_key_invalid');
  return key;
}

type Once = { customerId: number; key: string; operation: string; target: string; body: string };

/**
 * Runs an operation once for a key and answers every repetition with the first answer.
 * @param once what the key is bound to; only hashes are kept, of the key too, which is the caller's free text
 * @param run gives the answer, failures that cannot be cured by a retry among them
 * @throws DomainError idempotency_mismatch, idempotency_in_flight
 */
export async function answeringOnce(once: Once, run: () => Promise<Answer>): Promise<Answer> {
  const key = sha256(once.key).toString('hex');
  const requestHash = sha256(JSON.stringify([once.operation, once.target, once.body]));
  const claim = await claimKey(db(), { customerId: once.customerId, key, requestHash });
  if (!claim) return replay(await findKey(db(), once.customerId, key), requestHash);
  try {
    const answer = await run();
    if (isCurable(answer.status)) await releaseKey(db(), claim);
    else await keepAnswer(db(), claim, answer.status, answer.body);
    return answer;
  } catch (error) {
    await releaseKey(db(), claim);
    throw error;
  }
}

function replay(row: Awaited<ReturnType<typeof findKey>>, requestHash: Buffer): Answer {
  if (row && !row.requestHash.equals(requestHash)) {
    throw new DomainError('idempotency_mismatch', 'The key is bound to another request.');
  }
  if (!row || row.status === null || row.body === null) {
    throw new DomainError('idempotency_in_flight', 'The first request with the key is still running.');
  }
  return { status: row.status, body: row.body, headers: { 'Idempotent-Replayed': 'true' } };
}

/** Whether trying again can give another answer. */
function isCurable(status: number): boolean {
  return status === 409 || status === 424 || status === 429 || status >= 500;
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
