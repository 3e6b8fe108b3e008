/** Importing charges from a CSV file. */
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'drizzle-orm';
import { openPool } from '#db/client.ts';
import { importEntries } from '#src/ledger/import-entries.ts';
import { createCallers, openEnvironment } from './environment.ts';
import { median, print } from './measure.ts';

const importRows = 300_000;

/** @returns rows per second of a file with deliveries of 300 customers; the median of three files */
export async function measureImport(): Promise<number> {
  const environment = await openEnvironment();
  const owner = openPool(environment.ownerUrl, { connectionsMax: 1 });
  try {
    await createCallers(environment);
    const customers = await owner.db.execute<{ username: string }>(sql`select username from customers`);
    const file = path.join(environment.folder, 'deliveries.csv');
    const rates: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const rows = Array.from({ length: importRows }, (_, row) => {
        const at = new Date(Date.UTC(2026, 0, 1, 0, 0, row * 100)).toISOString();
        return `${customers[row % customers.length]?.username},${row % 90}.${10 + (row % 90)},${at},Delivery,${round}-${row}`;
      });
      await writeFile(file, ['username,amount,at,description,reference', ...rows].join('\n'));
      const startedAt = performance.now();
      const input = {
        url: environment.ownerUrl,
        actor: 'bench',
        source: createReadStream(file),
        name: 'bench',
      };
      const { added } = await importEntries(input);
      if (added !== importRows) throw new Error(`${added} rows were added.`);
      rates.push(importRows / ((performance.now() - startedAt) / 1_000));
    }
    print('import');
    return median(rates);
  } finally {
    await owner.close();
    await environment.close();
  }
}
