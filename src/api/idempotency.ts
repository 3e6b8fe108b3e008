import { hash } from 'node:crypto';
import { and, eq, inArray, isNull, lte, or, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { deleteInBatches } from '#db/delete-in-batches.ts';
import { findDeadInstances } from '#db/instance-lock.ts';
import { hasLeaseEnded } from '#db/lease.ts';
import { idempotencyKeys } from '#db/schema.ts';
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
    const { principal, input, bodyText } = context;
    const { db, instanceId, runningKeys } = context.services;
    if (!principal || !input) throw new Error('Authentication and validation come first.');
    if (input.idempotencyKey === null) return next(context);
    const key = hash('sha256', input.idempotencyKey, 'hex');
    const request = JSON.stringify([operation.id, input.params, input.query, bodyText]);
    const requestHash = hash('sha256', request, 'buffer');
    const { customerId } = principal;
    const own = { customerId, key, requestHash, lockedBy: instanceId() };
    const id = `${customerId} ${key}`;
    if (runningKeys.has(id)) return replay(await findKey(db, customerId, key), requestHash);
    runningKeys.add(id);
    try {
      const claim = await claimKey(db, own);
      if (!claim) return replay(await findKey(db, customerId, key), requestHash);
      return await respondOnce(db, claim, () => next(context));
    } finally {
      runningKeys.delete(id);
    }
  };
};

async function respondOnce(
  db: Database,
  claim: IdempotencyRow,
  run: () => Promise<ApiResponse>,
): Promise<ApiResponse> {
  try {
    const response = await run();
    if (isRetryable(response.status) || response.isProvisional) await releaseKey(db, claim);
    else if (!(await storeResponse(db, claim, response.status, response.body)))
      return replay(await findKey(db, claim.customerId, claim.key), claim.requestHash);
    return response;
  } catch (error) {
    await releaseKey(db, claim);
    throw error;
  }
}

function replay(row: IdempotencyRow | undefined, requestHash: Buffer): ApiResponse {
  if (row && !row.requestHash.equals(requestHash)) {
    throw new HttpProblem('idempotency_mismatch');
  }
  if (!row?.status) {
    throw new HttpProblem('idempotency_in_flight');
  }
  return { status: row.status, body: row.body ?? '', headers: { 'Idempotent-Replayed': 'true' } };
}

/** Whether a retry can have a different outcome, so that this one is not stored. */
function isRetryable(status: number): boolean {
  return status === 409 || status === 424 || status === 429 || status >= 500;
}

type IdempotencyRow = typeof idempotencyKeys.$inferSelect;
type Claim = { customerId: number; key: string; requestHash: Buffer; lockedBy: number | null };

/**
 * A request that holds a key for longer has most likely crashed. One that waits for a slow provider may not have, and the
 * repeated request then meets its card. Also in docs/api-contract.md.
 */
const lockSeconds = 45;
const retentionHours = 24;
/** As exact as a JavaScript date, so that a request can tell its lock from a later one. */
const lockedUntil = sql`date_trunc('milliseconds', now()) + make_interval(secs => ${lockSeconds})`;

/**
 * Claims a key for a request: a new key, an expired key, or one whose request crashed or has ended.
 * @param claim.lockedBy the instance of the request, of which no other request has the key. One that the instance still holds was claimed
 *   by a statement that finished after its request, or was never released
 * @returns the row, whose lock identifies this request; undefined if another request holds the key
 */
async function claimKey(db: Database, claim: Claim): Promise<IdempotencyRow | undefined> {
  const fresh = {
    lockedUntil,
    lockedBy: claim.lockedBy,
    expiresAt: sql`now() + make_interval(hours => ${retentionHours})`,
    createdAt: sql`now()`,
  };
  const [inserted] = await db
    .insert(idempotencyKeys)
    .values({ ...claim, ...fresh })
    .onConflictDoNothing()
    .returning();
  if (inserted) return inserted;
  const known = await findKey(db, claim.customerId, claim.key);
  // Released meanwhile.
  if (!known) return claimKey(db, claim);
  const isEnded =
    known.lockedBy !== null && known.lockedBy === claim.lockedBy
      ? eq(idempotencyKeys.lockedUntil, known.lockedUntil)
      : inArray(idempotencyKeys.lockedBy, await findDeadInstances(db, [known.lockedBy]));
  const isCrashed = and(
    isNull(idempotencyKeys.status),
    eq(idempotencyKeys.requestHash, claim.requestHash),
    or(hasLeaseEnded(idempotencyKeys.lockedUntil), isEnded),
  );
  const [taken] = await db
    .update(idempotencyKeys)
    .set({ ...fresh, requestHash: claim.requestHash, status: null, body: null })
    .where(and(isKey(claim), or(lte(idempotencyKeys.expiresAt, sql`now()`), isCrashed)))
    .returning();
  return taken;
}

async function findKey(db: Database, customerId: number, key: string): Promise<IdempotencyRow | undefined> {
  const [row] = await db.select().from(idempotencyKeys).where(isKey({ customerId, key }));
  return row;
}

/** @returns false if another request has taken over the key, so that its response is the one that counts */
async function storeResponse(
  db: Database,
  claim: IdempotencyRow,
  status: number,
  body: string,
): Promise<boolean> {
  const stored = await db
    .update(idempotencyKeys)
    .set({ status, body })
    .where(isHeldBy(claim))
    .returning({ key: idempotencyKeys.key });
  return stored.length > 0;
}

/** Frees the key so that a retry runs the operation again. */
async function releaseKey(db: Database, claim: IdempotencyRow): Promise<void> {
  await db.delete(idempotencyKeys).where(isHeldBy(claim));
}

export function deleteExpiredKeys(db: Database): Promise<void> {
  return deleteInBatches(db, idempotencyKeys, lte(idempotencyKeys.expiresAt, sql`now()`));
}

function isKey({ customerId, key }: { customerId: number; key: string }) {
  return and(eq(idempotencyKeys.customerId, customerId), eq(idempotencyKeys.key, key));
}

/** `lockedUntil` identifies the claim. */
function isHeldBy(claim: IdempotencyRow) {
  return and(
    isKey(claim),
    isNull(idempotencyKeys.status),
    eq(idempotencyKeys.lockedUntil, claim.lockedUntil),
  );
}
