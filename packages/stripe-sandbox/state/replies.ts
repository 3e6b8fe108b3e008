/**
 * Idempotency keys, as the provider keeps them: the first reply to a key is stored for 24 hours, errors included,
 * and given again for the same request. https://docs.stripe.com/api/idempotent_requests
 */
import { createHash } from 'node:crypto';
import { keyUsedForOther } from '../api/errors.ts';
import type { Reply } from '../api/operation.ts';
import { jsonWithoutNumbers } from '../cards/numbers.ts';
import type { Store } from './store.ts';

const KEPT_MS = 24 * 60 * 60 * 1000;

export type KeyedRequest = {
  key: string;
  /** Method and path. */
  target: string;
  /** The parameters with card details taken out, in a fixed order. */
  parameters: string;
};

const digest = (text: string) => createHash('sha256').update(text).digest('hex');

/**
 * @returns the reply stored for this request's key, or undefined where the key is new or has expired
 * @throws ApiError 400 `idempotency_error` where the key was first used for something else
 */
export function storedReply(store: Store, request: KeyedRequest, nowMs: number): Reply | undefined {
  store.database.prepare('DELETE FROM replies WHERE created_ms < ?').run(nowMs - KEPT_MS);
  const row = store.database
    .prepare('SELECT request, target, status, body, request_id FROM replies WHERE key = ?')
    .get(request.key);
  if (row === undefined) return undefined;
  if (row.target !== request.target) {
    throw keyUsedForOther(
      `Keys for idempotent requests can only be used for the same endpoint they were first used for ('${request.target}' vs '${row.target}'). Try using a key other than '${request.key}' if you meant to execute a different request.`,
    );
  }
  if (row.request !== digest(request.parameters)) {
    throw keyUsedForOther(
      `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${request.key}' if you meant to execute a different request.`,
    );
  }
  return { status: Number(row.status), body: JSON.parse(String(row.body)), original: String(row.request_id) };
}

/** Keeps a reply for its key; part of the operation's own transaction. */
export function storeReply(
  store: Store,
  request: KeyedRequest,
  reply: Reply,
  requestId: string,
  nowMs: number,
): void {
  store.database
    .prepare(
      'INSERT INTO replies (key, request, target, status, body, request_id, created_ms) VALUES (?, ?, ?, ?, ?, ?, ?)',
    )
    .run(
      request.key,
      digest(request.parameters),
      request.target,
      reply.status,
      jsonWithoutNumbers(reply.body),
      requestId,
      nowMs,
    );
}
