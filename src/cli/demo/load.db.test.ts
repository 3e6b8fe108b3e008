import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createKeyReads } from '#src/api/key-reads.ts';
import { listEntries } from '#src/ledger/list-entries.ts';
import { verifyLedger } from '#src/ledger/verify-ledger.ts';
import { tokenHash } from '#src/tokens.ts';
import { testDatabase } from '#tools/testing/database.ts';
import { loadDemo } from './load.ts';

const { db, web, sql } = await testDatabase();
const now = new Date('2026-11-20T20:00:00Z');

const state = () => sql`
  SELECT (SELECT count(*) FROM cities)::int AS cities, (SELECT count(*) FROM customers)::int AS customers,
    (SELECT count(*) FROM ledger_entries)::int AS entries, (SELECT count(*) FROM secrets)::int AS secrets`;

async function credentials(file: string): Promise<Record<string, string>> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => /^\w+=/.test(line));
  return Object.fromEntries(lines.map((line) => line.split('=', 2) as [string, string]));
}

test('demo: loads a year of two customers once, with working credentials', async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'demo-'));
  const input = { db, dataDir, baseUrl: 'http://127.0.0.1:4400', now };
  const demo = await loadDemo(input);
  const file = demo?.file ?? '';
  expect(demo?.isNew).toBe(true);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const loaded = await state();
  expect(loaded[0]).toMatchObject({ cities: 2, customers: 2, secrets: 2 });
  expect(await loadDemo(input)).toEqual({ file, isNew: false });
  expect(await state()).toEqual(loaded);

  const issued = await credentials(file);
  expect(issued.BASE_URL).toBe('http://127.0.0.1:4400');
  for (const prefix of ['', 'SECOND_']) {
    const reads = createKeyReads(web, () => now);
    const found = await reads.find('payout', issued[`${prefix}API_KEY`] ?? '');
    const { customer, city } = (await reads.findRecord(found?.customerId ?? 0)) ?? {};
    const hash = tokenHash(issued[`${prefix}API_SECRET`] ?? '').toString('hex');
    expect(found?.liveSecrets.map((secret) => secret.hash)).toEqual([hash]);
    expect(Number(found?.balance?.balanceCents)).toBeGreaterThan(5_000);
    const { entries } = await listEntries(db, found?.customerId ?? 0, { limit: 1_000 });
    expect(entries[0]?.takesEffectAt.getTime()).toBeGreaterThan(now.getTime());
    const firstAt = entries.at(-1)?.takesEffectAt;
    expect(firstAt?.toISOString()).toMatch(/^2025-12/);
    expect(customer?.createdAt.getTime()).toBeLessThan(firstAt?.getTime() ?? 0);
    expect(JSON.parse(city?.polygonPoints ?? '').length).toBeGreaterThan(20);
  }
  expect((await verifyLedger(db)).differences).toEqual([]);

  // As after a crash before the credentials were written.
  await rm(file);
  await loadDemo(input);
  expect(await state()).toMatchObject([{ entries: loaded[0]?.entries, customers: 2 }]);
  const again = await credentials(file);
  expect(again.API_KEY).toBe(issued.API_KEY);
  expect(again.API_SECRET).not.toBe(issued.API_SECRET);
  await rm(dataDir, { recursive: true });
});
