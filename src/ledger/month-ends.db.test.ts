import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import { presentPayout } from '#src/api/operations/get-payout.ts';
import { testDatabase } from '#tools/testing/database.ts';
import { printedSeed } from '#tools/testing/factories.ts';
import { findMonthStarts, monthBounds } from './month.ts';
import { payoutOf } from './monthly-balances.ts';

const { db, sql } = await testDatabase();
const firstYear = 2020;
const years = 8;
const months = Array.from({ length: years * 12 }, (_, index) =>
  Temporal.PlainDate.from({ year: firstYear, month: 1, day: 1 }).add({ months: index }).toString(),
);

const known = new Set(
  (await sql<{ name: string }[]>`SELECT name FROM pg_timezone_names`).map(({ name }) => name),
);
const allZones = Intl.supportedValuesOf('timeZone').filter((zone) => known.has(zone));
const seed = printedSeed('month ends');
/** All time zones, or every seventh from a random start. */
const zones = process.env.FULL ? allZones : allZones.filter((_, index) => index % 7 === seed % 7);

/** @returns the UTC offset at a time according to Intl, which the service does not use for it */
function offsetIn(timeZone: string): (at: Date) => string {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  return (at) => {
    const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value;
    return name === 'GMT' ? '+00:00' : (name?.slice(3) ?? '');
  };
}

test(`ledger months: assigns entries a second around ${months.length} month ends in ${zones.length} time zones`, {
  timeout: 600_000,
}, async () => {
  expect(allZones.length).toBeGreaterThan(400);
  const wrong: string[] = [];
  for (const zone of zones) {
    const starts = await findMonthStarts(db, zone);
    const monthStarts = starts?.map((start) => start.toISOString()) ?? null;
    const cases = months.flatMap((month) => {
      const { start, end } = monthBounds(month, zone);
      return [start.getTime(), end.getTime() - 1000, end.getTime() - 1].map((at) => ({
        month,
        at: new Date(at),
      }));
    });
    const rows = await sql<{ month: string }[]>`
      SELECT ledger_month(at, ${zone}, ${monthStarts}::text[]::timestamptz[])::text AS month
      FROM unnest(${cases.map(({ at }) => at.toISOString())}::text[]::timestamptz[]) WITH ORDINALITY AS t (at, n) ORDER BY n`;
    for (const [index, { month, at }] of cases.entries()) {
      const byCalendar = Temporal.Instant.fromEpochMilliseconds(at.getTime())
        .toZonedDateTimeISO(zone)
        .toPlainDate();
      const isRight = rows[index]?.month === month && byCalendar.with({ day: 1 }).toString() === month;
      if (!isRight) wrong.push(`${zone} ${at.toISOString()} ${rows[index]?.month} for ${month}`);
    }
  }
  expect(wrong).toEqual([]);
});

test(`getPayout: period_start and period_end have the correct UTC offset in ${zones.length} time zones`, {
  timeout: 600_000,
}, () => {
  const wrong: string[] = [];
  for (const zone of zones) {
    const offsetOf = offsetIn(zone);
    for (const month of months) {
      const { payout } = presentPayout(payoutOf(month, 0n, zone));
      for (const text of [payout.period_start, payout.period_end]) {
        if (text.slice(-6) !== offsetOf(new Date(text))) wrong.push(`${zone} ${text}`);
      }
      if (!payout.period_start.startsWith(month))
        wrong.push(`${zone} ${month} starts ${payout.period_start}`);
    }
  }
  expect(wrong).toEqual([]);
});

test('getPayout: a month starts at the DST change when the clock skips midnight', () => {
  // In Cuba, midnight of November 1 occurs twice. Samoa skipped a whole day.
  expect(monthBounds('2026-11-01', 'America/Havana').start.toISOString()).toBe('2026-11-01T04:00:00.000Z');
  expect(monthBounds('2012-01-01', 'Pacific/Apia').start.toISOString()).toBe('2011-12-31T10:00:00.000Z');
  expect(monthBounds('2024-02-01', 'America/Los_Angeles').end.toISOString()).toBe('2024-03-01T08:00:00.000Z');
});
