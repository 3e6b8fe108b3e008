import { afterAll, expect, test } from 'vitest';
import { idempotencyKeys, limitCounts, providerEvents, securityEvents, sessions } from '#db/schema.ts';
import { services } from '#src/api/services.ts';
import { tokenHash } from '#src/tokens.ts';
import { testService } from '#tools/testing/api.ts';
import { newCustomer } from '#tools/testing/factories.ts';
import { startBackgroundJobs } from './background-jobs.ts';

const { db, owner: setUp } = await testService();
const started: (() => void)[] = [];
afterAll(() => {
  for (const stop of started) stop();
});

test('background jobs: delete expired rows and nothing else', async () => {
  const customer = await newCustomer(db);
  const [long, soon] = [new Date('2020-01-01'), new Date(Date.now() + 3_600_000)];
  const owner = { customerId: customer.id, secretId: customer.secretId };
  const request = { customerId: customer.id, requestHash: tokenHash('x'), lockedUntil: long };
  await setUp.insert(idempotencyKeys).values([
    { ...request, key: 'expired', expiresAt: long },
    { ...request, key: 'live', expiresAt: soon },
  ]);
  await setUp.insert(sessions).values([
    { ...owner, idHash: tokenHash('expired'), expiresAt: long },
    { ...owner, idHash: tokenHash('live'), expiresAt: soon },
  ]);
  await setUp.insert(providerEvents).values([
    { id: 'evt_expired', type: 'customer.deleted', createdAt: long },
    { id: 'evt_live', type: 'customer.deleted' },
  ]);
  await setUp.insert(limitCounts).values([
    { key: 'expired', expire: long },
    { key: 'live', expire: soon },
  ]);
  const refused = {
    customerId: customer.id,
    event: 'authentication.refused',
    address: '',
    channel: 'api' as const,
  };
  await setUp.insert(securityEvents).values([
    { ...refused, at: long },
    { ...refused, reason: 'recent' },
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
