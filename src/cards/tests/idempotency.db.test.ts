import { eq } from 'drizzle-orm';
import { expect, onTestFinished, test } from 'vitest';
import { holdInstanceLock } from '#db/instance-lock.ts';
import { idempotencyKeys } from '#db/schema.ts';
import { deleteExpiredKeys } from '#src/api/idempotency.ts';
import { testService } from '#tools/testing/api.ts';
import { newCustomer } from '#tools/testing/factories.ts';
import { add, expectSettled, injectFault, remove, requestsTo, shownCards } from './support.ts';

const service = await testService();

test('Idempotency-Key: replays the first response byte for byte, also after the card was removed', async () => {
  const customer = await newCustomer(service.db);
  const key = { 'Idempotency-Key': 'once' };
  const first = await add(customer, 'tok_visa', key);
  expect(first.headers.get('idempotent-replayed')).toBeNull();
  await remove(customer, first.json.card?.uuid ?? '');
  const again = await add(customer, 'tok_visa', key);
  expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([
    200,
    first.text,
    'true',
  ]);
  expect(await shownCards(customer)).toEqual([]);
});

test('Idempotency-Key: replays declines and 404 without another attempt', async () => {
  const customer = await newCustomer(service.db);
  const declined = await add(customer, 'tok_chargeDeclined', { 'Idempotency-Key': 'a' });
  expect((await add(customer, 'tok_chargeDeclined', { 'Idempotency-Key': 'a' })).text).toBe(declined.text);
  const missing = await remove(customer, 7, { 'Idempotency-Key': 'b' });
  const again = await remove(customer, 7, { 'Idempotency-Key': 'b' });
  expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([
    404,
    missing.text,
    'true',
  ]);
});

test('Idempotency-Key: returns 422 for another body, operation, or target', async () => {
  const customer = await newCustomer(service.db);
  const key = { 'Idempotency-Key': 'bound' };
  await add(customer, 'tok_visa', key);
  for (const response of [
    await add(customer, 'tok_mastercard', key),
    await add(customer, 'tok_visa', key, { addressZip: '94103' }),
    await remove(customer, 1, key),
  ]) {
    expect([response.status, response.json]).toMatchObject([
      422,
      { error: { code: 422, type: 'idempotency_mismatch' } },
    ]);
  }
  await remove(customer, 1, { 'Idempotency-Key': 'first target' });
  expect((await remove(customer, 2, { 'Idempotency-Key': 'first target' })).status).toBe(422);
  // Another customer can use the same key.
  const other = await newCustomer(service.db);
  expect((await add(other, 'tok_mastercard', key)).json.status).toBe(true);
});

test('Idempotency-Key: does not store retryable or invalid responses', async () => {
  const customer = await newCustomer(service.db);
  const key = { 'Idempotency-Key': 'retry' };
  expect((await add(customer, 'not a token', key)).status).toBe(400);
  await injectFault(service, 'setupIntents.create', '429', 1);
  expect((await add(customer, 'tok_visa', key)).status).toBe(424);
  const cured = await add(customer, 'tok_visa', key);
  expect([cured.status, cured.json.status, cured.headers.get('idempotent-replayed')]).toEqual([
    200,
    true,
    null,
  ]);
});

/** @returns the ID of another instance, which runs until the test has ended */
async function otherInstance(): Promise<number> {
  const lock = holdInstanceLock(service.url);
  onTestFinished(lock.close);
  await expect.poll(lock.instanceId).not.toBeNull();
  return lock.instanceId() as number;
}

test('Idempotency-Key: a lock ends with its instance or expires; keys expire after 24 hours and are deleted', async () => {
  const customer = await newCustomer(service.db);
  const key = { 'Idempotency-Key': 'crashed' };
  const done = await add(customer, 'tok_visa', key);
  const mine = eq(idempotencyKeys.customerId, customer.id);
  const inAMinute = new Date(Date.now() + 60_000);
  await service.owner
    .update(idempotencyKeys)
    .set({ status: null, body: null, lockedUntil: inAMinute, lockedBy: await otherInstance() })
    .where(mine);
  const held = await add(customer, 'tok_visa', key);
  expect([held.status, Number(held.headers.get('retry-after')) > 0]).toEqual([409, true]);
  await service.owner
    .update(idempotencyKeys)
    .set({ lockedUntil: new Date(0) })
    .where(mine);
  const resumed = await add(customer, 'tok_visa', key);
  expect([resumed.status, resumed.text]).toEqual([200, done.text]);

  const gone = { status: null, body: null, lockedUntil: inAMinute, lockedBy: 1 };
  await service.owner.update(idempotencyKeys).set(gone).where(mine);
  const takenOver = await add(customer, 'tok_visa', key);
  expect([takenOver.status, takenOver.text]).toEqual([200, done.text]);

  const [row] = await service.owner.select().from(idempotencyKeys).where(mine);
  const retentionMs = (row?.expiresAt.getTime() ?? 0) - Date.now();
  expect(Math.round(retentionMs / 3_600_000)).toBe(24);
  await service.owner
    .update(idempotencyKeys)
    .set({ expiresAt: new Date(0) })
    .where(mine);
  expect((await add(customer, 'tok_mastercard', key)).json.status).toBe(true);
  await service.owner
    .update(idempotencyKeys)
    .set({ expiresAt: new Date(0) })
    .where(mine);
  await deleteExpiredKeys(service.web);
  expect(await service.owner.select().from(idempotencyKeys).where(mine)).toEqual([]);
});

test('removeCard: returns 200 again only for the key that removed the card, also if its response was not stored', async () => {
  const [customer, other] = [await newCustomer(service.db), await newCustomer(service.db)];
  const { json } = await add(customer, 'tok_visa');
  const uuid = json.card?.uuid ?? '';
  await service.control('DELETE requests');
  const removeWith = async (key: string | null, as = customer) => {
    const { status } = await remove(as, uuid, key === null ? {} : { 'Idempotency-Key': key });
    // As if the process had ended before it stored the response.
    await service.owner.delete(idempotencyKeys);
    return status;
  };
  expect(await removeWith('first')).toBe(200);
  expect([await removeWith('first'), await removeWith('second'), await removeWith(null)]).toEqual([
    200, 404, 404,
  ]);
  expect(await removeWith('first', other)).toBe(404);
  expect(await requestsTo(service, 'paymentMethods.detach')).toHaveLength(1);
});

test.each([
  ['a UUID that begins with digits', '12345678-0000-4000-8000-00000000000a'],
  ['a UUID that ends with digits', 'a2345678-0000-4000-8000-000000000123'],
  ['its ID', null],
])('removeCard: finds a card by %s', async (_, uuid) => {
  const customer = await newCustomer(service.db);
  const [other, removed] = [await add(customer, 'tok_visa'), await add(customer, 'tok_mastercard')];
  const id = removed.json.card?.id ?? 0;
  if (uuid) await service.sql`update cards set uuid = ${uuid} where id = ${id}`;
  expect((await remove(customer, uuid ?? id)).status).toBe(200);
  expect(await shownCards(customer)).toMatchObject([{ id: other.json.card?.id }]);
  expect(await expectSettled(service, customer)).toBe(1);
});
