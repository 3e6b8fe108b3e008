import { and, inArray } from 'drizzle-orm';
import { expect } from 'vitest';
import { cards } from '#db/schema.ts';
import { services } from '#src/api/services.ts';
import { completeCards } from '#src/cards/complete-cards.ts';
import { findCards, isUnfinished } from '#src/cards/list-cards.ts';
import { call, type TestService } from '#tools/testing/api.ts';
import { newCustomer, type TestCustomer } from '#tools/testing/factories.ts';
import type { Passing } from '#tools/testing/proxy.ts';
import { attachedAt, expectSettled, statesOf } from '../support.ts';
import type { CrashRequest, Flow } from './flows.ts';
import { handleRequest } from './handle-request.ts';
import type { Kill } from './table.ts';
import { forwardTo, startVictim } from './victim.ts';

/** When the server is killed. Without `step`, `repeat`, and `afterMs`, it is not. */
export type When = {
  /** At this message. Each run has some more or fewer before it. */
  step?: number;
  /** At a provider call that is repeated because its first response was lost. */
  repeat?: { call: string; moment: Passing['moment'] };
  afterMs?: number;
  /** The provider operation whose first response is lost after the operation took effect. */
  lost?: string;
  /** Whether a new server process handles the retry; otherwise this process does. */
  isRestarted: boolean;
};
type CardResponse = { status: number; text: string };
export type Run = Pick<Kill, 'passed' | 'left'> & { elapsedMs: number };

/** @param handle this process's API, or another one's */
const ask = (customer: TestCustomer, request: CrashRequest, handle = handleRequest): Promise<CardResponse> =>
  call(request, customer, {
    body: request.body,
    headers: { ...request.headers, 'Idempotency-Key': 'crash' },
    handle,
  });

function withoutIds({ status, text }: CardResponse) {
  const {
    card,
    replaced,
    next_action: action,
    ...rest
  } = JSON.parse(text) as { card?: object | null; replaced?: string; next_action?: object };
  return {
    status,
    ...rest,
    isReplacement: replaced !== undefined,
    ...(action && { next_action: { ...action, client_secret: '' } }),
    card: card && { ...card, id: 0, uuid: '', createdAt: '' },
  };
}

export async function responseWithoutCrash(service: TestService, flow: Flow): Promise<object> {
  const customer = await newCustomer(service.db);
  return withoutIds(await ask(customer, await flow.prepare(service, customer)));
}

/** @returns the messages that sent a provider call */
export const sentCalls = (passed: Passing[], call: string) =>
  passed.filter(
    ({ what, moment, bytes }) =>
      what === call && moment === 'before' && bytes.toString('latin1').startsWith('POST '),
  );

/** @returns whether to kill the server at the last of the messages */
function isKilledAt({ step, repeat }: When, passed: Passing[]): boolean {
  if (!repeat) return passed.length - 1 === step;
  const last = passed.at(-1);
  if (last?.what !== repeat.call || last.moment !== repeat.moment) return false;
  return sentCalls(passed, repeat.call).length > 1;
}

async function killed(
  service: TestService,
  when: When,
  customer: TestCustomer,
  request: CrashRequest,
): Promise<Run> {
  const { lost } = when;
  if (lost) await service.control('POST faults', { operation: lost, kind: 'drop_after_commit', times: 1 });
  const victim = await startVictim(service.environment);
  victim.begin((passed) => isKilledAt(when, passed));
  const timer = when.afterMs === undefined ? undefined : setTimeout(victim.kill, when.afterMs);
  const begunMs = performance.now();
  await ask(customer, request, forwardTo(victim.origin)).catch(() => null);
  const elapsedMs = performance.now() - begunMs;
  clearTimeout(timer);
  await victim.end();
  const { data: faults } = await service.control('GET faults');
  await service.control('DELETE faults');
  if (lost) expect(faults).toMatchObject([{ fired: 1 }]);
  const [states, attached] = [await statesOf(service, customer), await attachedAt(service, customer)];
  const left = [...(states.length > 0 ? states : ['no row']), ...attached.map(() => 'attached')].join(', ');
  return { passed: victim.passed, elapsedMs, left };
}

/** Retries are due, and only the end of the killed server makes its rows free. */
async function extendLeases({ sql }: TestService): Promise<void> {
  await sql`update cards set next_attempt_at = now() where state in ('pending', 'removing') or retries > 0`;
  await sql`update cards set lease_until = now() + interval '10 minutes' where lease_until is not null`;
  await sql`update idempotency_keys set locked_until = now() + interval '10 minutes' where status is null`;
}

/** In flight, or the machine is too busy. */
const retryable = [409, 503];

/**
 * Retries the request while completers run: in a new process, or in this one.
 * @returns the response to the retry
 */
async function goOn(
  service: TestService,
  customers: [TestCustomer, ...TestCustomer[]],
  request: CrashRequest | null,
  isRestarted: boolean,
): Promise<CardResponse | null> {
  const settings = { ...service.environment, BACKGROUND_JOBS: 'on', DATABASE_POOL: '4' };
  const server = isRestarted ? await startVictim(settings) : null;
  const complete = () => completeCards(services());
  const left = async () => {
    if (!server) await Promise.all([complete(), complete()]);
    return unfinished(service, customers);
  };
  try {
    const handle = server ? forwardTo(server.origin) : handleRequest;
    const response = request && (await retried(() => ask(customers[0], request, handle)));
    await expect.poll(left, { timeout: 60_000, interval: 50 }).toEqual([]);
    return response;
  } finally {
    await server?.end();
  }
}

async function retried(send: () => Promise<CardResponse>): Promise<CardResponse | null> {
  let response: CardResponse | null = null;
  const isToRetry = async () => {
    response = await send();
    return retryable.includes(response.status);
  };
  await expect.poll(isToRetry, { timeout: 60_000, interval: 100 }).toBe(false);
  return response;
}

async function unfinished({ db }: TestService, customers: TestCustomer[]): Promise<string[]> {
  const isOfThem = inArray(
    cards.customerId,
    customers.map(({ id }) => id),
  );
  return (await findCards(db, and(isOfThem, isUnfinished))).map(({ card }) => card.state);
}

/**
 * Kills the server during one request, then retries.
 * @param expected the response that the retry must return
 * @param onKilled called before the outcome is checked
 * @returns the number of cards at the end
 */
export async function runFlow(
  { service, flow, expected }: { service: TestService; flow: Flow; expected: object },
  when: When,
  onKilled: (run: Run) => void,
): Promise<number> {
  const customer = await newCustomer(service.db);
  const request = await flow.prepare(service, customer);
  onKilled(await killed(service, when, customer, request));
  await extendLeases(service);
  const others = request.other ? [request.other.customer] : [];
  for (const event of (await flow.meanwhile?.(service, customer)) ?? [])
    expect((await ask(customer, event)).status).toBe(200);
  const retry = flow.isRetried === false ? null : request;
  const response = await goOn(service, [customer, ...others], retry, when.isRestarted);
  if (response && !flow.meanwhile) {
    expect(withoutIds(response)).toEqual(expected);
    expect((await ask(customer, request)).text).toBe(response.text);
  }
  if (flow.states) expect(await statesOf(service, customer)).toEqual(flow.states);
  if (request.other) expect(await expectSettled(service, request.other.customer)).toBe(request.other.cards);
  const count = await expectSettled(service, customer);
  expect(flow.ends).toContain(count);
  return count;
}
