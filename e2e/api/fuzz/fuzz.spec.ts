import fc from 'fast-check';
import pLimit from 'p-limit';
import { expect, newCustomer, test } from '../../fixtures.ts';
import { type Served, type Target, targetAt, targetsOf } from './document.ts';
import { type Judge, judgeOf, secondOpinion } from './judge.ts';
import { requestsFor } from './requests.ts';
import { type Answered, type Sent, sendRaw } from './send.ts';
import { type FuzzedService, startFuzzedService } from './service.ts';

const isFull = Boolean(process.env.FULL);
const requestCount = isFull ? 10_000 : 400;
const seed = Number(process.env.FUZZ_SEED ?? 20_261_120);
const atOnce = 8;

test.describe.configure({ mode: 'default', timeout: isFull ? 3_600_000 : 180_000 });

let service: FuzzedService;
let served: Served;
const statuses = new Map<number, number>();

/** What a sample of this size is sure to meet. */
const expected: Record<string, number[]> = {
  getCustomer: [200, 304, 400, 401, 403, 404, 405, 431],
  getPayout: [200, 304, 400, 401, 403, 404, 405, 431],
  addCard: [200, 400, 401, 403, 404, 405, 415, 431],
  removeCard: [400, 401, 403, 404, 405, 431],
};

test.beforeAll(async () => {
  test.setTimeout(180_000);
  service = await startFuzzedService();
  served = (await (await fetch(`${service.url}/openapi.json`)).json()) as Served;
});
test.afterAll(() => service?.stop());

/** Elsewhere there is nothing, and that is said in JSON; or not even the address could be read. */
function elsewhereFaults({ status, headers, text }: Answered, isHead: boolean): string[] {
  if (![400, 404, 405, 431].includes(status)) return [`${status} where there is no operation`];
  if (!headers['content-type']?.startsWith('application/json')) return ['not JSON'];
  return isHead || JSON.parse(text).error.code === status ? [] : ['not an error body'];
}

type Fault = { request: string; status: number; faults: string[] };

async function faultsOf(judges: Judge[], targets: Target[], requests: Sent[]): Promise<Fault[]> {
  const limit = pLimit(atOnce);
  const found = requests.map((request) =>
    limit(async () => {
      const answer = await sendRaw(service.url, request);
      const isHead = request.method === 'HEAD';
      const target = targetAt(targets, request.method, request.path);
      const faults = target
        ? judges.flatMap((judge) => judge(target.operation, answer, isHead))
        : elsewhereFaults(answer, isHead);
      if (/<html|<!doctype/i.test(answer.text)) faults.push('HTML');
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      return { request: described(request), status: answer.status, faults };
    }),
  );
  return (await Promise.all(found)).filter(({ faults }) => faults.length > 0);
}

function described({ method, path, headers, body }: Sent): string {
  const shown = Object.entries(headers).filter(([name]) => !name.startsWith('X-AUTH'));
  return `${method} ${path} ${JSON.stringify(Object.fromEntries(shown))} ${body?.toString('latin1').slice(0, 300) ?? ''}`;
}

for (const operationId of ['getCustomer', 'getPayout', 'addCard', 'removeCard']) {
  test(`${operationId}: no answer to ${requestCount} generated requests is outside the document`, async () => {
    const targets = targetsOf(served);
    const target = targets.find(({ operation }) => operation.operationId === operationId);
    if (!target) throw new Error('Not in the document.');
    const judges = [judgeOf(served), secondOpinion(served)];
    statuses.clear();
    const customer = await newCustomer(service.db);
    const requests = fc.sample(requestsFor(target, served, customer), { seed, numRuns: requestCount });
    expect(await faultsOf(judges, targets, requests)).toEqual([]);
    test.info().annotations.push({ type: 'statuses', description: JSON.stringify([...statuses]) });
    // A sample in which nothing succeeds or nothing is refused shows nothing.
    expect([...statuses.keys()].sort()).toEqual(expect.arrayContaining(expected[operationId] ?? []));
  });
}
