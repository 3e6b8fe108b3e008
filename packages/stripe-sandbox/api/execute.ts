/** Runs an operation and stores its response under the idempotency key, both in one transaction. */
import type { Fault } from '../state/faults.ts';
import { findResponse, type KeyedRequest, storeResponse } from '../state/idempotency.ts';
import { redactedBody } from '../state/requests.ts';
import { accountRefused, providerFailure, StripeApiError } from './errors.ts';
import { expandResponse } from './expand.ts';
import type { ApiResponse, Call, Operation } from './operation.ts';

/**
 * @param target method and path
 * @param fault only `400`, `500`, and `500_after_commit` matter here; they decide which response is stored
 * @returns the response; with `originalRequestId` if it was stored before
 */
export function execute(
  operation: Operation,
  call: Call,
  target: string,
  fault?: Pick<Fault, 'kind'>,
): ApiResponse {
  const keyed = keyedRequest(operation, call, target);
  const nowMs = Date.now();
  const run = () => runOnce(operation, call, fault);
  try {
    if (keyed === undefined) return call.store.transaction(run);
    return call.store.transaction(() => {
      const stored = findResponse(call.store, keyed, nowMs);
      if (stored) return stored;
      const response = run();
      storeResponse(call.store, keyed, response, call.requestId, nowMs);
      return response;
    });
  } catch (error) {
    if (error instanceof StripeApiError) return errorResponse(error);
    throw error;
  }
}

const errorResponse = (error: StripeApiError): ApiResponse => ({
  status: error.status,
  body: { error: error.fields },
});

function runOnce(operation: Operation, call: Call, fault?: Pick<Fault, 'kind'>): ApiResponse {
  if (fault?.kind === '400') return errorResponse(accountRefused());
  if (fault?.kind === '500') return errorResponse(providerFailure());
  const { database } = call.store;
  database.exec('SAVEPOINT operation');
  try {
    const response = expandResponse(call, operation.run(call));
    database.exec('RELEASE operation');
    return fault?.kind === '500_after_commit' ? errorResponse(providerFailure()) : response;
  } catch (error) {
    database.exec('ROLLBACK TO operation');
    database.exec('RELEASE operation');
    if (error instanceof StripeApiError && error.isStored) return errorResponse(error);
    throw error;
  }
}

function keyedRequest(operation: Operation, call: Call, target: string): KeyedRequest | undefined {
  if (operation.method !== 'POST' || call.idempotencyKey === null) return undefined;
  const parameters = new URLSearchParams(call.params.sorted()).toString();
  return { key: call.idempotencyKey, target, parameters: redactedForDigest(parameters) };
}

/** Leaves out card numbers, whose digest could be reversed by trial, but keeps token IDs. */
const redactedForDigest = (parameters: string) => redactedBody(parameters.replaceAll('tok_1', 'tok-1'));
