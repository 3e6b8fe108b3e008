import { expect } from 'vitest';
import { services } from '#src/api/services.ts';
import { completeCards } from '#src/cards/complete-cards.ts';
import type { TestService } from '#tools/testing/api.ts';
import { newCustomer, type TestCustomer } from '#tools/testing/factories.ts';
import { add, attachedAt, expectSettled, remove, statesOf } from '../support.ts';
import type { CardRequest, Flow } from './flows.ts';
import type { Kill } from './table.ts';
import { startVictim } from './victim.ts';

/** When the server is killed. Without `step` and `afterMs`, it is not. */
export type When = {
  step?: number;
  afterMs?: number;
  /** The provider operation whose first response is lost after the operation took effect. */
  lost?: string;
  /** Whether a new server process handles the retry; otherwise this process does. */
  isRestarted: boolean;
};
type CardResponse = { status: number; text: string };
export type Run = Pick<Kill, 'passed' | 'left'> & { elapsedMs: number };

const key = { 'Idempotency-Key': 'crash' };

async function ask(origin: string, customer: TestCustomer, request: CardRequest): Promise<CardResponse> {
  const isAdding = request.method === 'POST';
  const response = await fetch(
    `${origin}/api/schedule/v1/payment/cards${isAdding ? '' : `/${request.target}`}`,
    {
      method: request.method,
      headers: {
        ...key,
        'X-AUTH-APIKEY': customer.apiKey,
        'X-AUTH-APISECRET': customer.apiSecret,
        ...(isAdding && { 'Content-Type': 'application/json' }),
      },
      body: isAdding ? JSON.stringify({ token: request.target, card: {} }) : null,
    },
  );
  return { status: response.status, text: await response.text() };
}

const askHere = (customer: TestCustomer, { method, target }: CardRequest): Promise<CardResponse> =>
  method === 'POST' ? add(customer, target, key) : remove(customer, target, key);

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
  return withoutIds(await askHere(customer, await flow.prepare(service, customer)));
}

async function killed(
  service: TestService,
  when: When,
  customer: TestCustomer,
  request: CardRequest,
): Promise<Run> {
  const { lost } = when;
  if (lost) await service.control('POST faults', { operation: lost, kind: 'drop_after_commit', times: 1 });
  const victim = await startVictim(service.environment);
  victim.begin(when.step);
  const timer = when.afterMs === undefined ? undefined : setTimeout(victim.kill, when.afterMs);
  const begunMs = performance.now();
  await ask(victim.origin, customer, request).catch(() => null);
  const elapsedMs = performance.now() - begunMs;
  clearTimeout(timer);
  await victim.end();
  if (lost) expect((await service.control('GET faults')).data).toMatchObject([{ fired: 1 }]);
  await service.control('DELETE faults');
  const [states, attached] = [await statesOf(service, customer), await attachedAt(service, customer)];
  const left = [...(states.length > 0 ? states : ['no row']), ...attached.map(() => 'attached')].join(', ');
  return { passed: victim.passed, elapsedMs, left };
}

/** So that only the end of the killed server makes its rows free. */
async function extendLeases({ sql }: TestService): Promise<void> {
  await sql`update cards set lease_until = now() + interval '1 hour' where lease_until is not null`;
  await sql`update idempotency_keys set locked_until = now() + interval '1 hour' where status is null`;
}

/** In flight, or the machine is too busy. */
const retryable = [409, 503];
const isUnfinished = (state: string) => state === 'pending' || state === 'removing';

/** The completer of the new process runs concurrently with the client's retry. */
async function goOnRestarted(
  service: TestService,
  customer: TestCustomer,
  request: CardRequest | null,
): Promise<CardResponse | null> {
  const server = await startVictim({
    ...service.environment,
    BACKGROUND_JOBS: 'on',
    DATABASE_POOL: '4',
  });
  try {
    const response = request && (await retried(() => ask(server.origin, customer, request)));
    await expect.poll(() => unfinished(service, customer), { timeout: 60_000, interval: 50 }).toEqual([]);
    return response;
  } finally {
    await server.end();
  }
}

async function goOnHere(service: TestService, customer: TestCustomer, request: CardRequest | null) {
  const response = request && (await retried(() => askHere(customer, request)));
  const complete = () => completeCards(services());
  const left = async () => {
    await Promise.all([complete(), complete()]);
    return unfinished(service, customer);
  };
  await expect.poll(left, { timeout: 60_000, interval: 50 }).toEqual([]);
  return response;
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

async function unfinished(service: TestService, customer: TestCustomer): Promise<string[]> {
  return (await statesOf(service, customer)).filter(isUnfinished);
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
  const goOn = when.isRestarted ? goOnRestarted : goOnHere;
  const response = await goOn(service, customer, flow.isRetried ? request : null);
  if (response) {
    expect(withoutIds(response)).toEqual(expected);
    expect((await askHere(customer, request)).text).toBe(response.text);
  }
  const count = await expectSettled(service, customer);
  expect(flow.ends).toContain(count);
  return count;
}
