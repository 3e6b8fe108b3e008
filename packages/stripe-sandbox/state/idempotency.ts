/**
 * Idempotency keys: the first response to a key is stored for 24 hours, errors included, and replayed for the same
 * request. https://docs.stripe.com/api/idempotent_requests
 */
import { createHash } from 'node:crypto';
import { idempotencyError, keyInUse } from '../api/errors.ts';
import type { ApiResponse } from '../api/operation.ts';
import { jsonWithoutNumbers } from '../cards/numbers.ts';
import type { Store } from './store.ts';

const LIFETIME_MS = 24 * 60 * 60 * 1000;

export type KeyedRequest = {
  key: string;
  /** Method and path. */
  target: string;
  /** The parameters sorted by name, without card details. */
  parameters: string;
};

const digest = (text: string) => createHash('sha256').update(text).digest('hex');

/**
 * @returns undefined if the key is new or has expired
 * @throws StripeApiError 400 `idempotency_error` if the key was first used for another request
 */
export function findResponse(store: Store, request: KeyedRequest, nowMs: number): ApiResponse | undefined {
  store.database.prepare('DELETE FROM responses WHERE created_ms < ?').run(nowMs - LIFETIME_MS);
  const row = store.database
    .prepare('SELECT request, target, status, body, request_id FROM responses WHERE key = ?')
    .get(request.key);
  if (row === undefined) return undefined;
  if (row.target !== request.target) {
    throw idempotencyError(
      `Keys for idempotent requests can only be used for the same endpoint they were first used for ('${request.target}' vs '${row.target}'). Try using a key other than '${request.key}' if you meant to execute a different request.`,
    );
  }
  if (row.request !== digest(request.parameters)) {
    throw idempotencyError(
      `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${request.key}' if you meant to execute a different request.`,
    );
  }
  return {
    status: Number(row.status),
    body: JSON.parse(String(row.body)),
    originalRequestId: String(row.request_id),
  };
}

/** Part of the operation's own transaction. */
export function storeResponse(
  store: Store,
  request: KeyedRequest,
  response: ApiResponse,
  requestId: string,
  nowMs: number,
): void {
  store.database
    .prepare(
      'INSERT INTO responses (key, request, target, status, body, request_id, created_ms) VALUES (?, ?, ?, ?, ?, ?, ?)',
    )
    .run(
      request.key,
      digest(request.parameters),
      request.target,
      response.status,
      jsonWithoutNumbers(response.body),
      requestId,
      nowMs,
    );
}

const keysInFlight = new Map<string, Set<string>>();

/**
 * @param scope what the keys belong to: one data file
 * @returns a function that releases the key
 * @throws StripeApiError 409 while a request with the same key is in flight
 */
export function lockIdempotencyKey(scope: string, key: string): () => void {
  const keys = keysInFlight.get(scope) ?? new Set<string>();
  keysInFlight.set(scope, keys);
  if (keys.has(key)) throw keyInUse(key);
  keys.add(key);
  return () => keys.delete(key);
}
