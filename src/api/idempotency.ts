import { createHash } from 'node:crypto';
import { DomainError } from '#src/errors.ts';
import { claimKey, findKey, releaseKey, storeResponse } from './idempotency-queries.ts';
import type { RequestHeaders } from './messages.ts';
import { type ApiResponse, isRead, type Middleware } from './operation.ts';
import { HttpProblem } from './problems.ts';

/** @throws HttpProblem 400 for a key that is not 1 to 255 printable ASCII characters */
export function idempotencyKeyOf(headers: RequestHeaders): string | null {
  const key = headers.get('idempotency-key');
  if (key !== null && !/^[\x20-\x7e]{1,255}$/.test(key)) throw new HttpProblem('idempotency_key_invalid');
  return key;
}

/**
 * Runs an operation once for an `Idempotency-Key` and returns the first response to every repetition, byte for byte
 * (draft-ietf-httpapi-idempotency-key-header). The key is bound to the operation, its parameters, and its body; only
 * hashes are stored, also of the key, because it is free text of the caller.
 * Failures: idempotency_mismatch, idempotency_in_flight.
 */
export const replayIdempotent: Middleware = (operation) => {
  if (isRead(operation)) return null;
  return async (context, next) => {
    const { principal, input, bodyText = '' } = context;
    const { db, instanceId } = context.services;
    if (!principal || !input) throw new Error('Authentication and validation come first.');
    if (input.idempotencyKey === null) return next(context);
    const key = sha256(input.idempotencyKey).toString('hex');
    const requestHash = sha256(JSON.stringify([operation.id, input.params, input.query, bodyText]));
    const { customerId } = principal;
    const claim = await claimKey(db, { customerId, key, requestHash, lockedBy: instanceId() });
    if (!claim) return replay(await findKey(db, customerId, key), requestHash);
    try {
      const response = await next(context);
      if (isRetryable(response.status) || response.isProvisional) await releaseKey(db, claim);
      else if (!(await storeResponse(db, claim, response.status, response.body)))
        return replay(await findKey(db, customerId, key), requestHash);
      return response;
    } catch (error) {
      await releaseKey(db, claim);
      throw error;
    }
  };
};

function replay(row: Awaited<ReturnType<typeof findKey>>, requestHash: Buffer): ApiResponse {
  if (row && !row.requestHash.equals(requestHash)) {
    throw new DomainError('idempotency_mismatch', 'The key is bound to another request.');
  }
  if (!row || row.status === null || row.body === null) {
    throw new DomainError('idempotency_in_flight', 'The first request with the key is still running.');
  }
  return { status: row.status, body: row.body, headers: { 'Idempotent-Replayed': 'true' } };
}

/** Whether a retry can have a different outcome, so that this one is not stored. */
function isRetryable(status: number): boolean {
  return status === 409 || status === 424 || status === 429 || status >= 500;
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
