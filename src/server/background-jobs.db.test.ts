import { afterAll, expect, test, vi } from 'vitest';
import { idempotencyKeys, limitCounts, providerEvents, securityEvents, sessions } from '#db/schema.ts';
import { services } from '#src/api/services.ts';
import { add } from '#src/cards/tests/support.ts';
import { eraseCustomer } from '#src/customers/erase-customer.ts';
import { tokenHash } from '#src/tokens.ts';
import { testService } from '#tools/testing/api.ts';
import { newCustomer } from '#tools/testing/factories.ts';
import { startBackgroundJobs } from './background-jobs.ts';

const { db, owner: setUp, sql } = await testService();
const started: (() => void)[] = [];
afterAll(() => {
  for (const stop of started) stop();
});

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const ago = (ms: number) => new Date(Date.now() - ms);

test('background jobs: delete expired rows and nothing else', async () => {
  const customer = await newCustomer(db);
  const soon = new Date(Date.now() + 3_600_000);
  const owner = { customerId: customer.id, secretId: customer.secretId };
  const request = { customerId: customer.id, requestHash: tokenHash('x'), lockedUntil: ago(dayMs) };
  await setUp.insert(idempotencyKeys).values([
    { ...request, key: 'expired', expiresAt: ago(1_000) },
    { ...request, key: 'live', expiresAt: soon },
  ]);
  await setUp.insert(sessions).values([
    { ...owner, idHash: tokenHash('expired'), expiresAt: ago(1_000) },
    { ...owner, idHash: tokenHash('idle'), expiresAt: soon, lastUsedAt: ago(31 * minuteMs) },
    { ...owner, idHash: tokenHash('live'), expiresAt: soon, lastUsedAt: ago(29 * minuteMs) },
  ]);
  await setUp.insert(providerEvents).values([
    { id: 'evt_expired', type: 'customer.deleted', createdAt: ago(31 * dayMs) },
    { id: 'evt_live', type: 'customer.deleted', createdAt: ago(29 * dayMs) },
  ]);
  await setUp.insert(limitCounts).values([
    { key: 'expired', expire: ago(61 * minuteMs) },
    { key: 'live', expire: ago(59 * minuteMs) },
  ]);
  const refused = {
    customerId: customer.id,
    event: 'authentication.refused',
    address: '',
    channel: 'api' as const,
  };
  await setUp.insert(securityEvents).values([
    { ...refused, at: ago(91 * dayMs) },
    { ...refused, at: ago(89 * dayMs), reason: 'recent' },
  ]);
  started.push(startBackgroundJobs(services()));
  await expect
    .poll(async () => ({
      keys: (await setUp.select().from(idempotencyKeys)).map(({ key }) => key),
      sessions: (await setUp.select().from(sessions)).map(({ expiresAt }) => expiresAt),
      security: (await setUp.select().from(securityEvents)).map(({ reason }) => reason),
      limits: (await setUp.select().from(limitCounts)).map(({ key }) => key),
      events: (await setUp.select().from(providerEvents)).map(({ id }) => id),
    }))
    .toEqual({
      keys: ['live'],
      sessions: [soon],
      limits: ['live'],
      events: ['evt_live'],
      security: ['recent'],
    });
});

test('background jobs: report an erased customer that the provider does not know, and delete the others', async () => {
  const [unknown, known] = [await newCustomer(db), await newCustomer(db)];
  await add(known, 'tok_visa');
  await sql`update customers set provider_customer_id = 'cus_of_another_account' where id = ${unknown.id}`;
  for (const { username } of [unknown, known]) await eraseCustomer({ db, actor: 'operator:anna' }, username);
  const { log } = services();
  const [warn, error] = [vi.spyOn(log, 'warn'), vi.spyOn(log, 'error')];
  started.push(startBackgroundJobs(services()));
  await expect
    .poll(() => warn.mock.calls)
    .toContainEqual([
      { customerId: unknown.id, error: expect.objectContaining({ reason: 'customer_unknown' }) },
      'An erased customer could not be deleted at the provider.',
    ]);
  const left = () => sql`select provider_customer_id from customers where id = ${known.id}`;
  await expect.poll(left).toEqual([{ provider_customer_id: null }]);
  expect(error).not.toHaveBeenCalled();
});
