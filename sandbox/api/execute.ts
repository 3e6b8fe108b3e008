/** One request of the API, from its key to its reply. */
import type { FaultState } from '../state/faults.ts';
import { type KeyedRequest, storedReply, storeReply } from '../state/replies.ts';
import { redactedBody } from '../state/requests.ts';
import { ApiError, accountRefused, keyInUse, providerFailure } from './errors.ts';
import type { Call, Operation, Reply } from './operation.ts';

const errorReply = (error: ApiError): Reply => ({ status: error.status, body: { error: error.fields } });

/**
 * Runs an operation and stores its reply under the request's idempotency key, both in one transaction.
 * @param fault only `400`, `500`, and `500_after_commit` matter here: they decide what the stored reply is
 * @returns the reply; a stored one, with `original`, where the key was used before
 */
export function execute(operation: Operation, call: Call, target: string, fault?: FaultState): Reply {
  const keyed = keyedRequest(operation, call, target);
  const nowMs = Date.now();
  const attempt = () => runOnce(operation, call, fault);
  try {
    if (keyed === undefined) return call.store.transaction(attempt);
    return call.store.transaction(() => {
      const earlier = storedReply(call.store, keyed, nowMs);
      if (earlier) return earlier;
      const reply = attempt();
      storeReply(call.store, keyed, reply, call.requestId, nowMs);
      return reply;
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return errorReply(error);
  }
}

function runOnce(operation: Operation, call: Call, fault?: FaultState): Reply {
  if (fault?.kind === '400') return errorReply(accountRefused());
  if (fault?.kind === '500') return errorReply(providerFailure());
  const { database } = call.store;
  database.exec('SAVEPOINT operation');
  try {
    const reply = operation.run(call);
    database.exec('RELEASE operation');
    return fault?.kind === '500_after_commit' ? errorReply(providerFailure()) : reply;
  } catch (error) {
    database.exec('ROLLBACK TO operation');
    database.exec('RELEASE operation');
    if (error instanceof ApiError && error.isStored) return errorReply(error);
    throw error;
  }
}

function keyedRequest(operation: Operation, call: Call, target: string): KeyedRequest | undefined {
  if (operation.method !== 'POST' || call.idempotencyKey === null) return undefined;
  const parameters = new URLSearchParams(call.params.sorted()).toString();
  return { key: call.idempotencyKey, target, parameters: redactedForKey(parameters) };
}

/** A digest of a card number could be tried out, so it is left out; the token's id stays in. */
const redactedForKey = (parameters: string) => redactedBody(parameters.replaceAll('tok_1', 'tok-1'));

const inFlight = new Map<string, Set<string>>();

/**
 * Marks a key as in flight for as long as its request takes.
 * @param place what the keys belong to (one data file)
 * @returns a function that ends it
 * @throws ApiError 409 where a request with the same key is under way
 */
export function occupyKey(place: string, key: string): () => void {
  const keys = inFlight.get(place) ?? new Set<string>();
  inFlight.set(place, keys);
  if (keys.has(key)) throw keyInUse(key);
  keys.add(key);
  return () => keys.delete(key);
}
