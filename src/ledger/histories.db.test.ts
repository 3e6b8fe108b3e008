import fc from 'fast-check';
import pLimit from 'p-limit';
import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import { createKeyReads } from '#src/api/key-reads.ts';
import { testDatabase } from '#tools/testing/database.ts';
import { insertEntries, newCity, newCustomer, printedSeed } from '#tools/testing/factories.ts';
import { signedCents } from './entry.ts';
import { verifyLedger } from './verify-ledger.ts';

const { db, web } = await testDatabase();
const histories = process.env.FULL ? 100_000 : 400;
const batch = 200;
const limit = pLimit(8);
const zones = [
  'America/Los_Angeles',
  'Pacific/Honolulu',
  'America/Phoenix',
  'America/New_York',
  'Asia/Kathmandu',
  'Pacific/Kiritimati',
  'Australia/Lord_Howe',
  'America/Havana',
];

const from = Date.UTC(2019, 0, 1);
const to = Date.UTC(2031, 0, 1);
/** Instants of any year, often within two days of a month's end, where time zones matter. */
const instant = fc.oneof(
  fc.integer({ min: from, max: to }),
  fc
    .tuple(
      fc.integer({ min: 2019, max: 2030 }),
      fc.integer({ min: 0, max: 11 }),
      fc.integer({ min: -172_800, max: 172_800 }),
    )
    .map(([year, month, seconds]) => Date.UTC(year, month, 1) + seconds * 1000),
);
const entry = fc.record({
  kind: fc.constantFrom('delivery', 'adjustment', 'credit', 'payment'),
  cents: fc.oneof(fc.bigInt({ min: 0n, max: 100_000n }), fc.bigInt({ min: 0n, max: 99_999_999_999n })),
  isNegative: fc.boolean(),
  at: instant,
});
const history = fc.record({
  zone: fc.nat({ max: zones.length - 1 }),
  now: instant,
  entries: fc.array(entry, { maxLength: 30 }),
});
type History = typeof history extends fc.Arbitrary<infer Value> ? Value : never;

const signed = ({ kind, cents, isNegative }: History['entries'][number]) =>
  signedCents(kind, kind === 'adjustment' && isNegative ? -cents : cents);

/** Computed independently of the service's code. */
function expectedCents(one: History): bigint {
  const zone = zones[one.zone] ?? 'UTC';
  const now = Temporal.Instant.fromEpochMilliseconds(one.now).toZonedDateTimeISO(zone);
  const end = now.toPlainDate().with({ day: 1 }).add({ months: 1 }).toZonedDateTime(zone).epochMilliseconds;
  return one.entries
    .filter(({ at }) => at < end)
    .reduce((sum, { kind, cents, isNegative }) => {
      const amount = kind === 'adjustment' && isNegative ? -cents : cents;
      return kind === 'credit' || kind === 'payment' ? sum - amount : sum + amount;
    }, 0n);
}

test(`getPayout: equals the sum of the raw entries in ${histories} random histories`, {
  timeout: 3_600_000,
}, async () => {
  const seed = printedSeed('histories');
  const cities = await Promise.all(zones.map((timezone) => newCity(db, { timezone })));
  let now = 0;
  const reads = createKeyReads(web, () => new Date(now));
  let differences = 0;
  for (let start = 0; start < histories; start += batch) {
    const sample = fc.sample(history, { numRuns: Math.min(batch, histories - start), seed: seed + start });
    const customers = await Promise.all(
      sample.map(({ zone }) => limit(() => newCustomer(db, { city: cities[zone] }))),
    );
    // In three statements, so that the rollup is updated and not only created.
    for (const part of [0, 1, 2]) {
      const rows = sample.flatMap(({ entries }, history) =>
        entries.map((it, index) => ({
          customerId: customers[history]?.id ?? 0,
          kind: it.kind,
          amountCents: signed(it),
          takesEffectAt: new Date(it.at),
          reference: String(index),
        })),
      );
      await insertEntries(
        db,
        rows.filter(({ reference }) => Number(reference) % 3 === part),
      );
    }
    for (const [index, one] of sample.entries()) {
      now = one.now;
      const row = await reads.find('payout', customers[index]?.apiKey ?? '');
      if (BigInt(row?.balance?.balanceCents ?? '-1') !== expectedCents(one)) differences++;
    }
  }
  expect(differences).toBe(0);
  expect((await verifyLedger(db)).differences).toEqual([]);
});
