/**
 * Runs operations. The first response to an idempotency key is stored for 24 hours, errors included, and replayed for the
 * same request. https://docs.stripe.com/api/idempotent_requests
 */
import { hash } from 'node:crypto';
import { jsonWithoutNumbers } from '../cards/numbers.ts';
import type { FaultKind } from '../state/faults.ts';
import { redactedBody } from '../state/requests.ts';
import { FAULT_ERRORS, idempotencyError, invalidRequest, providerFailure, StripeApiError } from './errors.ts';
import { expand } from './expand.ts';
import type { Call, Operation } from './operation.ts';

const LIFETIME_MS = 24 * 60 * 60 * 1000;

export type ApiResponse = {
  status: number;
  body: object;
  /** For a replayed response: the ID of the first request. */
  originalRequestId?: string;
};

/**
 * Runs an operation and stores its response under the idempotency key, both in one transaction.
 * @param fault only those that decide which response is stored matter here
 * @returns the response; with `originalRequestId` if it was stored before
 */
export function execute(operation: Operation, call: Call, fault?: FaultKind): ApiResponse {
  const { store, idempotencyKey: key } = call;
  try {
    return store.transaction(() => {
      if (key === null) return runOnce(operation, call, fault);
      const request = { key, target: `POST ${call.path}`, digest: digestOf(call) };
      const stored = findResponse(call, request);
      if (stored) return stored;
      const response = runOnce(operation, call, fault);
      storeResponse(call, request, response);
      return response;
    });
  } catch (error) {
    if (error instanceof StripeApiError) return error;
    throw error;
  }
}

function runOnce(operation: Operation, call: Call, fault?: FaultKind): ApiResponse {
  const failure = fault && FAULT_ERRORS[fault];
  if (failure) return failure;
  const { database } = call.store;
  database.exec('SAVEPOINT operation');
  try {
    const result = operation.run(call);
    const response = result instanceof StripeApiError ? result : { status: 200, body: expand(call, result) };
    database.exec('RELEASE operation');
    return fault === '500_after_commit' ? providerFailure : response;
  } catch (error) {
    database.exec('ROLLBACK TO operation');
    database.exec('RELEASE operation');
    if (error instanceof StripeApiError && error.isStored) return error;
    throw error;
  }
}

/** Of a request with a key: `target` is its method and path, and `digest` stands for its parameters. */
type KeyedRequest = { key: string; target: string; digest: string };

/** Without card numbers, whose digest could be reversed by trial, but with token IDs. */
function digestOf({ params }: Call): string {
  const parameters = redactedBody(params.sorted().replaceAll('tok_1', 'tok-1'));
  return hash('sha256', parameters, 'hex');
}

/**
 * @returns undefined if the key is new or has expired
 * @throws StripeApiError 400 `idempotency_error` if the key was first used for another request
 */
function findResponse({ store }: Call, { key, target, digest }: KeyedRequest): ApiResponse | undefined {
  store.database.prepare('DELETE FROM responses WHERE created_ms < ?').run(Date.now() - LIFETIME_MS);
  const row = store.database
    .prepare('SELECT request, target, status, body, request_id FROM responses WHERE key = ?')
    .get(key);
  if (row === undefined) return undefined;
  if (row.target !== target)
    throw idempotencyError(
      `Keys for idempotent requests can only be used for the same endpoint they were first used for ('${target}' vs '${row.target}'). Try using a key other than '${key}' if you meant to execute a different request.`,
    );
  if (row.request !== digest)
    throw idempotencyError(
      `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
    );
  return {
    status: Number(row.status),
    body: JSON.parse(String(row.body)),
    originalRequestId: String(row.request_id),
  };
}

function storeResponse(
  { store, requestId }: Call,
  { key, target, digest }: KeyedRequest,
  { status, body }: ApiResponse,
): void {
  store.database
    .prepare(
      'INSERT INTO responses (key, request, target, status, body, request_id, created_ms) VALUES (?, ?, ?, ?, ?, ?, ?)',
    )
    .run(key, digest, target, status, jsonWithoutNumbers(body), requestId, Date.now());
}

/** @throws StripeApiError 409 while a request with the same key is in flight */
export async function withKeyLocked(
  { store, idempotencyKey: key }: Call,
  work: () => Promise<void>,
): Promise<void> {
  if (key === null) return work();
  if (store.keysInFlight.has(key))
    throw invalidRequest(409, {
      code: 'idempotency_key_in_use',
      message: `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`,
    });
  store.keysInFlight.add(key);
  try {
    await work();
  } finally {
    store.keysInFlight.delete(key);
  }
}
