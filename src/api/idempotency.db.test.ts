import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { holdInstanceLock } from '#db/instance-lock.ts';
import { idempotencyKeys } from '#db/schema.ts';
import { testService } from '#tools/testing/api.ts';
import { waitingForLock } from '#tools/testing/database.ts';
import { newCustomer } from '#tools/testing/factories.ts';
import { deleteExpiredKeys, replayIdempotent } from './idempotency.ts';
import type { ApiResponse, RequestContext } from './operation.ts';
import { addCard } from './operations/add-card.ts';
import { removeCard } from './operations/remove-card.ts';
import { type Services, services } from './services.ts';

const service = await testService();
const [one, other] = [await newCustomer(service.db), await newCustomer(service.db)];
const done: ApiResponse = { status: 200, body: '{"status":true}' };

/** Another process of the service, as far as keys are concerned. */
const lock = holdInstanceLock(service.url);
afterAll(lock.close);
const elsewhere = { instanceId: lock.instanceId, runningKeys: new Set<string>() };
const held = () => expect([lock.instanceId(), services().instanceId()]).not.toContain(null);
beforeAll(() => vi.waitFor(held, { timeout: 60_000 }));

type Sent = {
  /** Where it is sent to, if not to this process. */
  to?: Pick<Services, 'instanceId' | 'runningKeys'>;
  customerId?: number;
  key?: string | null;
  body?: string;
  params?: object;
  operation?: typeof addCard;
};

/** What the step makes of a request, and how often the operation ran. */
async function send(
  { to, customerId = one.id, key = 'key', body = '{}', params, operation = addCard }: Sent,
  run: () => Promise<ApiResponse> = async () => done,
) {
  const step = replayIdempotent(operation);
  const next = vi.fn(run);
  const input = { params, query: undefined, body: undefined, idempotencyKey: key };
  const ownServices = { ...services(), ...to };
  const context = { services: ownServices, principal: { customerId }, input, bodyText: body };
  const outcome = await step?.(context as unknown as RequestContext, next).catch(
    (error: { code?: string }) => error.code ?? error,
  );
  return { outcome, runs: next.mock.calls.length };
}

const rows = (customerId: number) =>
  service.owner.select().from(idempotencyKeys).where(eq(idempotencyKeys.customerId, customerId));
const set = (values: Partial<typeof idempotencyKeys.$inferInsert>) =>
  service.owner.update(idempotencyKeys).set(values).where(eq(idempotencyKeys.customerId, one.id));
const replayed = { ...done, headers: { 'Idempotent-Replayed': 'true' } };

test.each([
  [200, true],
  [400, true],
  [404, true],
  [409, false],
  [424, false],
  [429, false],
  [500, false],
  [503, false],
])('Idempotency-Key: a response with %i is stored: %s', async (status, isStored) => {
  const key = `status ${status}`;
  const response = { status, body: `{"error":${status}}` };
  expect(await send({ key }, async () => response)).toEqual({ outcome: response, runs: 1 });
  // A key that was not freed would be taken at once only here.
  const again = await send({ key, to: elsewhere });
  expect(again).toEqual(
    isStored
      ? { outcome: { ...response, headers: { 'Idempotent-Replayed': 'true' } }, runs: 0 }
      : { outcome: done, runs: 1 },
  );
});

test('Idempotency-Key: is free again after the operation threw', async () => {
  const failure = new Error('a fault of ours');
  expect(await send({ key: 'thrown' }, () => Promise.reject(failure))).toEqual({ outcome: failure, runs: 1 });
  expect(await send({ key: 'thrown' })).toEqual({ outcome: done, runs: 1 });
});

test('Idempotency-Key: belongs to one customer, and only hashes of it are stored', async () => {
  expect(await send({ key: 'shared' })).toEqual({ outcome: done, runs: 1 });
  const theirs = { ...done, body: '{"status":"theirs"}' };
  expect(await send({ customerId: other.id, key: 'shared' }, async () => theirs)).toEqual({
    outcome: theirs,
    runs: 1,
  });
  expect(await send({ key: 'shared' })).toEqual({ outcome: replayed, runs: 0 });
  expect(await send({ customerId: other.id, key: 'shared' })).toEqual({
    outcome: { ...theirs, headers: { 'Idempotent-Replayed': 'true' } },
    runs: 0,
  });
  expect(await send({ customerId: other.id, key: 'shared', body: '{"other":1}' })).toEqual({
    outcome: 'idempotency_mismatch',
    runs: 0,
  });
  expect((await rows(other.id)).map(({ key }) => key)).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
});

test.each([
  ['body', { body: '{"card":{}}' }],
  ['operation', { operation: removeCard }],
  ['path parameter', { params: { uuid: '7' } }],
])('Idempotency-Key: returns 422 for another %s', async (name, change) => {
  await send({ key: name });
  expect(await send({ key: name, ...change })).toEqual({ outcome: 'idempotency_mismatch', runs: 0 });
});

test('Idempotency-Key: requests without one run each time, and nothing is stored', async () => {
  const before = await rows(one.id);
  for (const _ of [1, 2]) expect(await send({ key: null })).toEqual({ outcome: done, runs: 1 });
  expect(await rows(one.id)).toEqual(before);
});

test('Idempotency-Key: is held for 45 seconds; then only the same request takes it over', async () => {
  await service.owner.delete(idempotencyKeys);
  let finish = () => {};
  const crashed = send(
    { to: elsewhere, key: 'held' },
    () => new Promise((resolve) => (finish = () => resolve({ ...done, body: 'late' }))),
  );
  await expect.poll(() => rows(one.id)).toHaveLength(1);
  const [held] = await rows(one.id);
  const seconds = ((held?.lockedUntil.getTime() ?? 0) - (held?.createdAt.getTime() ?? 0)) / 1000;
  expect(Math.round(seconds)).toBe(45);
  expect(await send({ key: 'held' })).toEqual({ outcome: 'idempotency_in_flight', runs: 0 });
  expect(await send({ key: 'held', body: '{"other":1}' })).toEqual({
    outcome: 'idempotency_mismatch',
    runs: 0,
  });

  await set({ lockedUntil: new Date(Date.now() - 1000) });
  expect(await send({ key: 'held', body: '{"other":1}' })).toEqual({
    outcome: 'idempotency_mismatch',
    runs: 0,
  });
  let finishSecond = () => {};
  const second = send({ key: 'held' }, () => new Promise((resolve) => (finishSecond = () => resolve(done))));
  await expect.poll(async () => (await rows(one.id))[0]?.lockedUntil.getTime()).toBeGreaterThan(Date.now());
  // The first one was only slow. It has lost the key, so it neither stores its response nor frees the key.
  finish();
  expect((await crashed).outcome).toBe('idempotency_in_flight');
  expect(await send({ key: 'held' })).toEqual({ outcome: 'idempotency_in_flight', runs: 0 });
  finishSecond();
  await second;
  expect(await send({ key: 'held' })).toEqual({ outcome: replayed, runs: 0 });
});

test('Idempotency-Key: a request that was only slow returns the stored response of the one that took its key over', async () => {
  const slow = Promise.withResolvers<ApiResponse>();
  const late = send({ to: elsewhere, key: 'slow' }, () => slow.promise);
  await expect.poll(async () => (await rows(one.id)).some(({ status }) => status === null)).toBe(true);
  await set({ lockedUntil: new Date(Date.now() - 1000) });
  expect(await send({ key: 'slow' })).toEqual({ outcome: done, runs: 1 });
  slow.resolve({ ...done, body: 'late' });
  expect(await late).toEqual({ outcome: replayed, runs: 1 });
});

test('Idempotency-Key: returns 409 when a crashed request’s key is freed while it is taken over', async () => {
  await send({ key: 'freed' });
  await set({ status: null, body: null, lockedUntil: new Date(Date.now() - 1000) });
  const takingOver = await service.sql.begin(async (transaction) => {
    await transaction`select from idempotency_keys where customer_id = ${one.id} for update`;
    const sent = send({ key: 'freed' });
    await expect.poll(() => waitingForLock(service.sql)).toHaveLength(1);
    await transaction`delete from idempotency_keys where customer_id = ${one.id}`;
    return { sent };
  });
  expect(await takingOver.sent).toEqual({ outcome: 'idempotency_in_flight', runs: 0 });
});

test('Idempotency-Key: is free again as soon as the process of its request has died', async () => {
  await service.owner.delete(idempotencyKeys);
  await send({ key: 'died' });
  const lockedUntil = new Date(Date.now() + 60_000);
  await set({ status: null, body: null, lockedUntil, lockedBy: lock.instanceId() });
  expect(await send({ key: 'died' })).toEqual({ outcome: 'idempotency_in_flight', runs: 0 });
  // No process has this instance's lock.
  await set({ lockedBy: 1 });
  expect(await send({ key: 'died' })).toEqual({ outcome: done, runs: 1 });
});

test('Idempotency-Key: a process runs one request with a key at a time, even if its claim is not stored', async () => {
  const slow = Promise.withResolvers<ApiResponse>();
  const first = send({ key: 'beside' }, () => slow.promise);
  await expect.poll(async () => (await rows(one.id)).some(({ status }) => status === null)).toBe(true);
  await service.owner.delete(idempotencyKeys);
  expect(await send({ key: 'beside' })).toEqual({ outcome: 'idempotency_in_flight', runs: 0 });
  expect(await send({ key: 'another' })).toEqual({ outcome: done, runs: 1 });
  expect(await send({ customerId: other.id, key: 'beside' })).toEqual({ outcome: done, runs: 1 });
  slow.resolve(done);
  await first;
  expect(await send({ key: 'beside' })).toEqual({ outcome: done, runs: 1 });
});

test('Idempotency-Key: one that this process holds without a request is free here, as when its claim was stored too late', async () => {
  await service.owner.delete(idempotencyKeys);
  await send({ key: 'late' });
  await set({ status: null, body: null, lockedUntil: new Date(Date.now() + 60_000) });
  expect(await send({ key: 'late', to: elsewhere })).toEqual({ outcome: 'idempotency_in_flight', runs: 0 });
  const sent = await Promise.all(Array.from({ length: 5 }, () => send({ key: 'late' })));
  expect(sent.map(({ runs }) => runs).toSorted()).toEqual([0, 0, 0, 0, 1]);
});

test('Idempotency-Key: one that was claimed without an instance is held until its lock expires', async () => {
  await service.owner.delete(idempotencyKeys);
  await send({ key: 'unknown' });
  await set({ status: null, body: null, lockedUntil: new Date(Date.now() + 60_000), lockedBy: null });
  const unlocked = { instanceId: () => null, runningKeys: new Set<string>() };
  expect(await send({ key: 'unknown', to: unlocked })).toEqual({ outcome: 'idempotency_in_flight', runs: 0 });
});

test('Idempotency-Key: one that was claimed before the clock of the database was set back is free', async () => {
  await service.owner.delete(idempotencyKeys);
  await send({ key: 'ahead' });
  await set({ status: null, body: null, lockedUntil: new Date(Date.now() + 7_200_000), lockedBy: null });
  expect(await send({ key: 'ahead' })).toEqual({ outcome: done, runs: 1 });
});

test('Idempotency-Key: expired ones are deleted, and no others', async () => {
  await service.owner.delete(idempotencyKeys);
  await send({ key: 'expired' });
  await set({ expiresAt: new Date(Date.now() - 1000) });
  await send({ key: 'valid' });
  const valid = (await rows(one.id)).filter(({ expiresAt }) => expiresAt.getTime() > Date.now());
  await deleteExpiredKeys(service.web);
  expect([await rows(one.id), valid.length]).toEqual([valid, 1]);
});

test('Idempotency-Key: is kept for 24 hours, and is then free for any request', async () => {
  await service.owner.delete(idempotencyKeys);
  await send({ key: 'old' });
  const [row] = await rows(one.id);
  expect((row?.expiresAt.getTime() ?? 0) - (row?.createdAt.getTime() ?? 0)).toBe(24 * 3_600_000);
  await set({ expiresAt: new Date(Date.now() - 1000) });
  const fresh = { ...done, body: '{"status":"fresh"}' };
  expect(await send({ key: 'old', body: '{"other":1}' }, async () => fresh)).toEqual({
    outcome: fresh,
    runs: 1,
  });
  expect(await send({ key: 'old', body: '{"other":1}' })).toMatchObject({
    outcome: { body: fresh.body },
    runs: 0,
  });
});
