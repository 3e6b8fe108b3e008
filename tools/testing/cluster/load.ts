/** A few callers that each send one request after the other, and count what was acknowledged. */
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Database } from '#db/client.ts';
import { newEntry, type TestCustomer } from '../factories.ts';

export const kinds = ['detail', 'payout', 'add card', 'remove card', 'ledger'] as const;
export type Kind = (typeof kinds)[number];
/** Times are of `performance.now()`. The status is 0 if there was no response. */
export type Sent = {
  kind: Kind;
  status: number;
  startedMs: number;
  endedMs: number;
  /** The one that responded. */
  instance: string;
  note: string;
};

export type Load = {
  sent: Sent[];
  /** UUIDs of cards and references of entries whose writes were acknowledged. */
  acknowledged: { added: string[]; removed: string[]; entries: string[] };
  /** When each kind of request had succeeded that began at this time or later; undefined if one did not. */
  succeededSince: (sinceMs: number) => number | undefined;
  stop: () => Promise<void>;
};

type Body = { card?: { uuid: string } | null; customer?: { cards: { uuid: string }[] } };

type Options = {
  url: string;
  /** One for each caller of the service; the first is also the one with the entries. */
  customers: [TestCustomer, TestCustomer, TestCustomer];
  operator: Database;
  newToken: () => Promise<string>;
};

/** Longer than a request may take, so that one that hangs is found and not waited for. */
const timeoutMs = 15_000;
/** Keeps a machine of two cores responsive. */
const thinkMs = 15;
const refusedThinkMs = 100;

export function startLoad({ url, customers, operator, newToken }: Options): Load {
  const sent: Sent[] = [];
  const acknowledged: Load['acknowledged'] = { added: [], removed: [], entries: [] };
  let isStopped = false;

  const measure = async <T>(
    kind: Kind,
    send: () => Promise<{ status: number; instance?: string; note?: string; value?: T }>,
  ) => {
    const startedMs = performance.now();
    const result = await send().catch((error: Error) => ({
      status: 0,
      note: String(error.cause ?? error),
      instance: undefined,
      value: undefined,
    }));
    sent.push({
      kind,
      status: result.status,
      startedMs,
      endedMs: performance.now(),
      instance: result.instance ?? '',
      note: result.note ?? '',
    });
    await setTimeout(result.status === 200 ? thinkMs : refusedThinkMs);
    return result.status === 200 ? result.value : undefined;
  };
  const request = (kind: Kind, path: string, customer: TestCustomer, init: RequestInit = {}) =>
    measure<Body>(kind, async () => {
      const response = await fetch(`${url}/api/schedule/v1/${path}`, {
        ...init,
        headers: {
          'X-AUTH-APIKEY': customer.apiKey,
          'X-AUTH-APISECRET': customer.apiSecret,
          'Content-Type': 'application/json',
          ...init.headers,
        },
        signal: AbortSignal.timeout(timeoutMs),
      });
      const text = await response.text();
      const { status } = response;
      const instance = response.headers.get('x-instance') ?? '';
      return status === 200
        ? { status, instance, value: JSON.parse(text) as Body }
        : { status, instance, note: text.slice(0, 300) };
    });
  const changeCards = async (customer: TestCustomer) => {
    const body = JSON.stringify({ token: await newToken(), card: {} });
    const headers = { 'Idempotency-Key': randomUUID() };
    const added = await request('add card', 'payment/cards', customer, { method: 'POST', body, headers });
    if (added?.card) acknowledged.added.push(added.card.uuid);
    // The card is on file if the response to its removal was lost.
    const onFile = added && !added.card ? await request('detail', 'customers/detail', customer) : undefined;
    for (const { uuid } of added?.card ? [added.card] : (onFile?.customer?.cards ?? [])) {
      const removal = { method: 'DELETE', headers: { 'Idempotency-Key': randomUUID() } };
      const removed = await request('remove card', `payment/cards/${uuid}`, customer, removal);
      if (removed) acknowledged.removed.push(uuid);
    }
  };
  const addEntry = async (customer: TestCustomer) => {
    const reference = randomUUID();
    const entry = { amountCents: 100n, reference };
    const added = await measure('ledger', async () => {
      const value = await newEntry(operator, customer, entry);
      return { status: 200, value };
    });
    if (added) acknowledged.entries.push(reference);
  };
  const loop = async (step: () => Promise<unknown>) => {
    while (!isStopped) await step();
  };
  const [first, second, third] = customers;
  const loops = Promise.all([
    loop(() => request('detail', 'customers/detail', first)),
    loop(() => request('payout', 'customers/payout', first)),
    loop(() => changeCards(second)),
    loop(() => changeCards(third)),
    loop(() => addEntry(first)),
  ]);
  return {
    sent,
    acknowledged,
    succeededSince: (sinceMs) => {
      const firsts = kinds.map((kind) =>
        sent.find((one) => one.kind === kind && one.status === 200 && one.startedMs >= sinceMs),
      );
      return firsts.includes(undefined) ? undefined : Math.max(...firsts.map((one) => one?.endedMs ?? 0));
    },
    stop: async () => {
      isStopped = true;
      await loops;
    },
  };
}

/** Requests without success, which the callers did not repeat. */
export const lostOf = ({ sent }: Load) => sent.filter(({ status }) => status !== 200);

/** The longest time without a success of one kind of request. */
export function longestStallMs({ sent }: Load): number {
  const begin = Math.min(...sent.map(({ startedMs }) => startedMs));
  const end = Math.max(...sent.map(({ endedMs }) => endedMs));
  const gaps = kinds.flatMap((kind) => {
    const successes = sent
      .filter((one) => one.kind === kind && one.status === 200)
      .map(({ endedMs }) => endedMs);
    const times = [begin, ...successes, end];
    return times.slice(1).map((time, index) => time - (times[index] ?? time));
  });
  return Math.max(...gaps);
}
