import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { completeCards } from '#domain/cards/complete-cards.ts';
import { newCustomer, type TestCustomer, testService } from '#http/testing.ts';
import { cardProvider } from '#payments/stripe.ts';
import {
  type AddAnswer,
  add,
  attachedAt,
  remove,
  shownCards,
  statesOf,
  tokenOf,
} from '../support.testing.ts';
import { crashTable, type Row } from './table.testing.ts';
import { startVictim, type Victim } from './victim.testing.ts';

const service = await testService({ LIMIT_REQUESTS_PER_MINUTE: '100000' });
const isFull = Boolean(process.env.FULL);
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
const rows: Row[] = [];

/** mulberry32: small, and the same numbers for the same seed. */
function random(state: number): () => number {
  let next = state;
  return () => {
    next = (next + 0x6d2b79f5) | 0;
    let mixed = Math.imul(next ^ (next >>> 15), 1 | next);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const key = { 'Idempotency-Key': 'crash' };

/** The request that is cut off. @returns its answer, or null when the server died first */
async function send(
  victim: Victim,
  method: 'POST' | 'DELETE',
  customer: TestCustomer,
  target: string,
): Promise<string | null> {
  const url = `${victim.origin}/api/schedule/v1/payment/cards${method === 'DELETE' ? `/${target}` : ''}`;
  const headers = {
    ...key,
    'X-AUTH-APIKEY': customer.apiKey,
    'X-AUTH-APISECRET': customer.apiSecret,
    ...(method === 'POST' && { 'Content-Type': 'application/json' }),
  };
  const body = method === 'POST' ? JSON.stringify({ token: target, card: {} }) : null;
  return fetch(url, { method, headers, body }).then(
    (response) => response.text(),
    () => null,
  );
}

/** Leases and locks run out: what a minute does. */
async function letTimePass(): Promise<void> {
  await service.sql`update cards set lease_until = now() - interval '1 second' where state in ('pending', 'removing')`;
  await service.sql`update idempotency_keys set locked_until = now() - interval '1 second' where status is null`;
}

const complete = () => completeCards({ db: service.db, provider: cardProvider });

async function expectNothingLeft(customer: TestCustomer): Promise<number> {
  const shown = await shownCards(customer);
  expect(await attachedAt(service, customer)).toHaveLength(shown.length);
  expect(
    (await statesOf(service, customer)).filter((state) => state === 'pending' || state === 'removing'),
  ).toEqual([]);
  return shown.length;
}

const sameButForIds = ({ card, ...rest }: AddAnswer) => ({
  ...rest,
  card: { ...card, id: 0, uuid: '', createdAt: '' },
});

type Kill = { step?: number; afterMs?: number; isLost?: boolean };

async function killed(
  kill: Kill,
  method: 'POST' | 'DELETE',
  customer: TestCustomer,
  target: string,
): Promise<Victim> {
  const victim = await startVictim(service.url, service.sandbox.origin);
  victim.begin(kill.step);
  const timer = kill.afterMs === undefined ? undefined : setTimeout(victim.kill, kill.afterMs);
  await send(victim, method, customer, target);
  clearTimeout(timer);
  await victim.end();
  return victim;
}

/** The client comes back with the same request after the restart. */
async function addAfterKill(kill: Kill): Promise<Victim> {
  const customer = await newCustomer(service);
  const token = await tokenOf(service, '4242424242424242');
  if (kill.isLost)
    await service.control('POST faults', {
      operation: 'setupIntents.create',
      kind: 'drop_after_commit',
      times: 1,
    });
  const victim = await killed(kill, 'POST', customer, token);
  await service.control('DELETE faults');
  await letTimePass();
  const retried = await add(customer, token, key);
  expect([retried.status, sameButForIds(retried.json)]).toMatchObject([
    200,
    { status: true, card: { last4: '4242', brand: 'visa' } },
  ]);
  expect((await add(customer, token, key)).text).toBe(retried.text);
  await complete();
  expect(await expectNothingLeft(customer)).toBe(1);
  return victim;
}

/** The client never comes back: the completer alone brings both sides together. */
async function leaveAfterKill(kill: Kill): Promise<Victim> {
  const customer = await newCustomer(service);
  const token = await tokenOf(service, '5555555555554444');
  const victim = await killed(kill, 'POST', customer, token);
  await letTimePass();
  await Promise.all([complete(), complete()]);
  const shown = await expectNothingLeft(customer);
  expect([0, 1]).toContain(shown);
  return victim;
}

async function removeAfterKill(kill: Kill): Promise<Victim> {
  const customer = await newCustomer(service);
  const uuid = (await add(customer, 'tok_visa')).json.card?.uuid ?? '';
  const victim = await killed(kill, 'DELETE', customer, uuid);
  await letTimePass();
  const retried = await remove(customer, uuid, key);
  expect(retried.json).toEqual({ status: true, message: 'Payment method was removed successfully.' });
  await complete();
  expect(await expectNothingLeft(customer)).toBe(0);
  return victim;
}

const flows = {
  'add, then retry': addAfterKill,
  'add, then silence': leaveAfterKill,
  'remove, then retry': removeAfterKill,
};

for (const [flow, run] of Object.entries(flows)) {
  describe(flow, () => {
    test('killed at every message', { timeout: 600_000 }, async () => {
      const whole = await run({});
      expect(whole.passed.length).toBeGreaterThan(10);
      const stride = isFull ? 1 : 5;
      for (let step = seed % stride; step < whole.passed.length; step += stride) {
        const { passed } = await run({ step });
        rows.push({ flow, step, passing: passed[step], outcome: 'held' });
      }
    });

    test('killed at random moments', { timeout: 600_000 }, async () => {
      const next = random(seed);
      const kills = isFull ? 70 : 5;
      for (let n = 0; n < kills; n++) {
        const afterMs = Math.floor(next() * 60);
        const { passed } = await run({ afterMs });
        rows.push({ flow, step: null, passing: passed.at(-1), outcome: `held, after ${afterMs} ms` });
      }
    });
  });
}

test('the provider’s answer was lost, and then the server was killed', { timeout: 120_000 }, async () => {
  for (const step of isFull ? [30, 35, 40, 45] : [40]) await addAfterKill({ step, isLost: true });
});

afterAll(async () => {
  const folder = path.join(import.meta.dirname, '../../../../../../reports');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'crash-matrix.md'), crashTable(rows, seed));
});
