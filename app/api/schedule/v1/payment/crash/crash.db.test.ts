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
  expectSettled,
  leaseRunsOut,
  remove,
  statesOf,
  tokenOf,
} from '../support.testing.ts';
import { crashTable, type Kill } from './table.testing.ts';
import { startVictim, type Victim } from './victim.testing.ts';

const service = await testService({ LIMIT_REQUESTS_PER_MINUTE: '100000' });
const isFull = Boolean(process.env.FULL);
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
const kills: Kill[] = [];

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
  await leaseRunsOut(service);
  await service.sql`update idempotency_keys set locked_until = now() - interval '1 second' where status is null`;
}

const complete = () => completeCards({ db: service.db, provider: cardProvider });

const sameButForIds = ({ card, ...rest }: AddAnswer) => ({
  ...rest,
  card: { ...card, id: 0, uuid: '', createdAt: '' },
});

const uncrashed = await add(await newCustomer(service), await tokenOf(service, '4242424242424242'));

type When = { step?: number; afterMs?: number; isLost?: boolean };
type Run = Pick<Kill, 'passed' | 'left' | 'end'> & { elapsedMs: number };

async function killed(when: When, method: 'POST' | 'DELETE', customer: TestCustomer, target: string) {
  const victim = await startVictim(service.url, service.sandbox.origin);
  victim.begin(when.step);
  const timer = when.afterMs === undefined ? undefined : setTimeout(victim.kill, when.afterMs);
  const begunMs = performance.now();
  await send(victim, method, customer, target);
  const elapsedMs = performance.now() - begunMs;
  clearTimeout(timer);
  await victim.end();
  const [states, attached] = [await statesOf(service, customer), await attachedAt(service, customer)];
  const left = [...(states.length > 0 ? states : ['no row']), ...attached.map(() => 'attached')].join(', ');
  return { passed: victim.passed, elapsedMs, left };
}

/** The client comes back with the same request after the restart. */
async function addAfterKill(when: When): Promise<Run> {
  const customer = await newCustomer(service);
  const token = await tokenOf(service, '4242424242424242');
  if (when.isLost)
    await service.control('POST faults', {
      operation: 'setupIntents.create',
      kind: 'drop_after_commit',
      times: 1,
    });
  const kill = await killed(when, 'POST', customer, token);
  await service.control('DELETE faults');
  await letTimePass();
  const retried = await add(customer, token, key);
  expect([retried.status, sameButForIds(retried.json)]).toEqual([200, sameButForIds(uncrashed.json)]);
  expect((await add(customer, token, key)).text).toBe(retried.text);
  await complete();
  expect(await expectSettled(service, customer)).toBe(1);
  return { ...kill, end: 'one card' };
}

/** The client never comes back: the completer alone brings both sides together. */
async function leaveAfterKill(when: When): Promise<Run> {
  const customer = await newCustomer(service);
  const token = await tokenOf(service, '5555555555554444');
  const kill = await killed(when, 'POST', customer, token);
  await letTimePass();
  await Promise.all([complete(), complete()]);
  const shown = await expectSettled(service, customer);
  expect([0, 1]).toContain(shown);
  return { ...kill, end: shown === 1 ? 'one card' : 'no card' };
}

async function removeAfterKill(when: When): Promise<Run> {
  const customer = await newCustomer(service);
  const uuid = (await add(customer, 'tok_visa')).json.card?.uuid ?? '';
  const kill = await killed(when, 'DELETE', customer, uuid);
  await letTimePass();
  const retried = await remove(customer, uuid, key);
  expect(retried.json).toEqual({ status: true, message: 'Payment method was removed successfully.' });
  await complete();
  expect(await expectSettled(service, customer)).toBe(0);
  return { ...kill, end: 'no card' };
}

const flows = {
  'add, then retry': addAfterKill,
  'add, then silence': leaveAfterKill,
  'remove, then retry': removeAfterKill,
};

for (const [flow, run] of Object.entries(flows)) {
  describe(flow, () => {
    test('killed at every message', { timeout: 1_200_000 }, async () => {
      const whole = await run({});
      expect(whole.passed.length).toBeGreaterThan(10);
      const stride = isFull ? 1 : 5;
      for (let step = seed % stride; step < whole.passed.length; step += stride) {
        kills.push({ flow, isRandom: false, ...(await run({ step })) });
      }
    });

    test('killed at random moments', { timeout: 1_200_000 }, async () => {
      const next = random(seed);
      const { elapsedMs } = await run({});
      const most = isFull ? 70 : 5;
      for (let n = 0; n < most; n++) {
        const afterMs = next() * elapsedMs;
        kills.push({ flow, isRandom: true, ...(await run({ afterMs })) });
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
  await writeFile(path.join(folder, 'crash-matrix.md'), crashTable(kills, seed));
});
