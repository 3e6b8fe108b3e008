import { beforeEach, expect, test, vi } from 'vitest';
import { GET } from '#app/(dashboard)/payout/transactions.csv/route.ts';
import { getPayout } from '#src/api/operations/get-payout.ts';
import { services } from '#src/api/services.ts';
import { call, signIn, testService } from '#tools/testing/api.ts';
import { insertEntries, newCustomer, newEntry, type TestCustomer } from '#tools/testing/factories.ts';

const service = await testService({ LIMIT_REQUESTS_PER_MINUTE: '6' });
let customer: TestCustomer;
let cookie: string;

beforeEach(async () => {
  customer = await newCustomer(service.db);
  cookie = await signIn(customer);
});

const download = (init: RequestInit = {}) =>
  GET(new Request('http://127.0.0.1/payout/transactions.csv', { ...init, headers: { cookie } }));

test('transactions.csv: counts toward the same quota as the API, and returns 429 once it is used up', async () => {
  await newEntry(service.db, customer, { amountCents: 100n, reference: 'INV-1' });
  for (let n = 0; n < 3; n += 1) {
    const file = await download();
    expect([file.status, (await file.text()).includes('INV-1')]).toEqual([200, true]);
  }
  expect((await call(getPayout, customer)).headers.get('ratelimit')).toContain('r=2;');
  expect((await call(getPayout, null, { headers: { cookie } })).headers.get('ratelimit')).toContain('r=1;');
  expect((await (await download()).text()).length).toBeGreaterThan(0);
  const refused = await download();
  expect([refused.status, await refused.text()]).toEqual([429, 'Too many requests. Try again later.\n']);
  expect(refused.headers.get('content-type')).toContain('text/plain');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await call(getPayout, customer)).status).toBe(429);
});

test.each([
  ['2026-08', 'transactions-2026-08.csv'],
  ['', 'transactions.csv'],
  ['..%2F..%2Fx.html', 'transactions.csv'],
])(
  'transactions.csv: has a file name with the valid month of the filter and nothing else of the request: %s',
  async (month, expected) => {
    const query = `search=..%2F..%2Fx.html&month=${month}&type=credit`;
    const file = await GET(
      new Request(`http://127.0.0.1/payout/transactions.csv?${query}`, { headers: { cookie } }),
    );
    expect(file.headers.get('content-disposition')).toBe(`attachment; filename="${expected}"`);
    await file.text();
  },
);

test('transactions.csv: returns 429 for a third download at a time, until one ends', async () => {
  const [first, second, third] = [await download(), await download(), await download()];
  expect([first.status, second.status, third.status]).toEqual([200, 200, 429]);
  expect(await third.text()).toBe(
    'Other downloads are still running. Wait for one to finish, and then try again.\n',
  );
  expect(third.headers.get('retry-after')).toBe('5');
  await first.body?.cancel();
  const next = await download();
  expect(next.status).toBe(200);
  await Promise.all([second.text(), next.text()]);
});

test('transactions.csv: a download that the client gave up or that sent no body is not running', async () => {
  for (let n = 0; n < 2; n += 1) {
    const head = await download({ method: 'HEAD' });
    expect([head.status, head.body]).toEqual([200, null]);
  }
  const client = new AbortController();
  const { signal } = client;
  const abandoned = [await download({ signal }), await download({ signal })];
  expect(abandoned.map(({ status }) => status)).toEqual([200, 200]);
  client.abort();
  const file = await download();
  expect(file.status).toBe(200);
  await file.text();
});

test('transactions.csv: a download that begins on a replica that fails is read from the primary', async () => {
  const { replicaReads, db } = services();
  const failing = {} as typeof db;
  const read = vi.spyOn(replicaReads, 'read');
  const isReplaced = () => false;
  read.mockImplementation((run) => run(failing, isReplaced).catch(() => run(db, isReplaced)));
  const references = Array.from({ length: 1_001 }, (_, n) => `INV-${n}`);
  const delivery = { customerId: customer.id, amountCents: 100n };
  await insertEntries(
    service.db,
    references.map((reference) => ({ ...delivery, takesEffectAt: new Date(), reference })),
  );
  const text = await (await download()).text();
  expect(references.filter((reference) => !text.includes(`,${reference},`))).toEqual([]);
  expect(read).toHaveBeenCalledTimes(1);
  read.mockRestore();
});

test('transactions.csv: has nothing of an import that is added during the download', async () => {
  const { replicaReads, db } = services();
  const delivery = { customerId: customer.id, kind: 'delivery' as const, amountCents: 100n };
  const entryAt = (reference: string, day: string) => ({
    ...delivery,
    reference,
    takesEffectAt: new Date(`${day}T12:00:00Z`),
  });
  const before = Array.from({ length: 1_001 }, (_, n) => entryAt(`INV-${n}`, '2026-11-15'));
  await insertEntries(service.db, before);
  const read = vi.spyOn(replicaReads, 'read');
  read.mockImplementation(async (run) => {
    const page = await run(db, () => false);
    await insertEntries(service.db, [entryAt('NEW-1', '2026-11-30'), entryAt('NEW-2', '2026-11-01')]);
    return page;
  });
  const during = await (await download()).text();
  read.mockRestore();
  expect([during.match(/INV-/g)?.length, during.match(/NEW-/g)]).toEqual([1_001, null]);
  expect((await (await download()).text()).match(/NEW-/g)).toHaveLength(2);
});

test('transactions.csv: ends without looking complete when the replica was replaced meanwhile', async () => {
  const { replicaReads, db } = services();
  await newEntry(service.db, customer, { amountCents: 100n, reference: 'INV-1' });
  const read = vi.spyOn(replicaReads, 'read').mockImplementation((run) => run(db, () => true));
  const file = await download();
  await expect(file.text()).rejects.toThrow('The replica was replaced during a download.');
  read.mockRestore();
  expect(await (await download()).text()).toContain('INV-1');
});
