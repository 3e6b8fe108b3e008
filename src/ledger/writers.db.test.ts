import { expect, test } from 'vitest';
import { openPool } from '#db/client.ts';
import { DomainError } from '#src/errors.ts';
import { testDatabase } from '#tools/testing/database.ts';
import { newCustomer } from '#tools/testing/factories.ts';
import { addEntry } from './add-entry.ts';
import { verifyLedger } from './verify-ledger.ts';

const { db, sql, operatorUrl } = await testDatabase();
const writers = 50;
const each = process.env.FULL ? 2_000 : 30;

test(`addEntry: ${writers} concurrent writers of ${each} entries lose nothing, and reads are consistent`, {
  timeout: 3_600_000,
}, async () => {
  const { username, id } = await newCustomer(db);
  const pool = openPool(operatorUrl, { connectionsMax: 20 });
  const ctx = { db: pool.db, actor: 'test' };
  const twice = { refused: 0, taken: 0 };
  const write = async (writer: number) => {
    for (let index = 0; index < each; index++) {
      // Four months, so that writers update the same sums.
      const takesEffectAt = new Date(Date.UTC(2026, (writer + index) % 4, 15));
      const common = {
        username,
        kind: 'delivery',
        amountCents: BigInt(writer + 1),
        takesEffectAt,
        description: '',
      } as const;
      await addEntry(ctx, { ...common, reference: `${writer}/${index}` });
      if (index % 10 !== 0) continue;
      // All writers add this reference.
      await addEntry(ctx, { ...common, kind: 'adjustment', reference: `shared/${index}` }).then(
        () => twice.taken++,
        (error) => {
          if (!(error instanceof DomainError && error.code === 'already_exists')) throw error;
          twice.refused++;
        },
      );
    }
  };
  let isWriting = true;
  const reads = { count: 0, wrong: [] as unknown[], entries: 0 };
  const read = async () => {
    while (isWriting) {
      const [row] = await sql<
        { rollup: string; entries: string; rollup_entries: number; counted: number; gaps: number }[]
      >`
        SELECT (SELECT coalesce(sum(amount_cents), 0) FROM ledger_months WHERE customer_id = ${id})::text AS rollup,
          (SELECT coalesce(sum(amount_cents), 0) FROM ledger_entries WHERE customer_id = ${id})::text AS entries,
          (SELECT coalesce(sum(entries), 0) FROM ledger_months WHERE customer_id = ${id})::int AS rollup_entries,
          (SELECT count(*) FROM ledger_entries WHERE customer_id = ${id})::int AS counted,
          (SELECT count(*) FROM (SELECT count(*) AS n, max(split_part(reference, '/', 2)::int) + 1 AS last
            FROM ledger_entries WHERE customer_id = ${id} AND reference NOT LIKE 'shared%'
            GROUP BY split_part(reference, '/', 1)) w WHERE n <> last)::int AS gaps`;
      reads.count++;
      const isPrefix =
        row && row.rollup === row.entries && row.rollup_entries === row.counted && row.gaps === 0;
      if (!isPrefix || row.counted < reads.entries) reads.wrong.push(row);
      reads.entries = row?.counted ?? 0;
    }
  };
  const reading = read();
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer))).finally(() => {
    isWriting = false;
  });
  await reading;
  await pool.close();
  const shared = Math.ceil(each / 10);
  expect(twice).toEqual({ taken: shared, refused: shared * (writers - 1) });
  expect(reads.wrong).toEqual([]);
  expect(reads.count).toBeGreaterThan(5);
  const check = await verifyLedger(db, username);
  expect(check).toMatchObject({ entries: writers * each + shared, differences: [] });
});
