/** A few callers that each send one request after the other, what was acknowledged, and the table of it. */
import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Database } from '#db/client.ts';
import { table } from '#tools/bench/measure.ts';
import { checkout } from '#tools/checkout.ts';
import { credentialHeaders, newEntry, type TestCustomer } from '../factories.ts';

export const kinds = ['detail', 'payout', 'add card', 'remove card', 'ledger'] as const;
type Kind = (typeof kinds)[number];
/** Times are of `performance.now()`. The status is 0 if there was no response. */
type Sent = {
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
          ...credentialHeaders(customer),
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

/** Milliseconds; undefined if there was nothing to recover from. */
export type Round = {
  fault: string;
  requests: number;
  lost: number;
  acknowledged: number;
  missing: number;
  stallMs: number;
  slowestMs: number;
  recoveryMs?: number | undefined;
};

const seconds = (times: number[]) => (times.length > 0 ? `${(Math.max(...times) / 1_000).toFixed(1)} s` : '');

/** @returns a row for each fault, with the sum of its rounds, and the longest of the times */
export function faultTable(rounds: Round[]): string {
  const rows = [...Map.groupBy(rounds, ({ fault }) => fault)].map(([fault, of]) => {
    const sum = (name: 'requests' | 'lost' | 'acknowledged' | 'missing') =>
      of.reduce((total, round) => total + round[name], 0);
    return [
      ...[fault, of.length, sum('requests'), sum('lost'), sum('acknowledged'), sum('missing')],
      seconds(of.map(({ stallMs }) => stallMs)),
      seconds(of.map(({ slowestMs }) => slowestMs)),
      seconds(of.flatMap(({ recoveryMs = [] }) => recoveryMs)),
    ];
  });
  const writes = ['acknowledged writes', 'missing writes'];
  const times = ['longest stall', 'slowest response', 'recovery'];
  return table(['fault', 'rounds', 'requests', 'lost', ...writes, ...times], rows);
}

/** Replaces the recorded table of `docs/operations.md`. */
export async function recordFaultTable(recorded: string): Promise<void> {
  const file = path.join(checkout, 'docs', 'operations.md');
  const text = await readFile(file, 'utf8');
  const start = text.indexOf('| fault | rounds |');
  if (start < 0) throw new Error('docs/operations.md has no table of faults.');
  const end = text.indexOf('\n\n', start);
  await writeFile(file, text.slice(0, start) + recorded + text.slice(end));
}
