import { Command } from 'commander';
import { requireCustomer } from '#src/customers/show-customer.ts';
import { entriesCsv, entriesCsvHead } from '#src/ledger/entries-csv.ts';
import type { EntryKind } from '#src/ledger/entry.ts';
import { listEntries } from '#src/ledger/list-entries.ts';
import { monthlyBalances } from '#src/ledger/monthly-balances.ts';
import { decimalOf, dollarsOf, exactNumber } from '#src/money.ts';
import { readCount, readKind, readMonth } from '../arguments.ts';
import { withDatabase } from '../database.ts';
import { entryDocument, entryLines } from '../entry-output.ts';
import { answer, type SharedOptions } from '../output.ts';

type ListOptions = SharedOptions & {
  kind?: EntryKind;
  month?: string;
  text?: string;
  limit: number;
  after?: number;
  csv?: true;
};

const csvPage = 1_000;

export function listCommand(): Command {
  return new Command('list')
    .description('List the entries of a customer, latest first, with the balance at the end of this month')
    .argument('<username>')
    .option('--kind <kind>', 'only deliveries, adjustments, credits or payments', readKind)
    .option('--month <month>', 'only a month of the city, such as 2026-11', readMonth)
    .option('--text <text>', 'only those with this in their description or reference')
    .option('--limit <number>', 'entries at most', readCount, 100)
    .option('--after <id>', 'go on after the entry of this id ("next" of the answer before)', readCount)
    .option('--csv', 'all of them as CSV, safe to open as a spreadsheet')
    .addHelpText(
      'after',
      '\nExamples:\n  $ operator charge list acme --month 2026-11 --kind delivery\n  $ operator charge list acme --csv > acme.csv',
    )
    .action(async (username: string, _: unknown, self: Command) => {
      const options = self.optsWithGlobals<ListOptions>();
      if (options.csv && options.json) self.error('error: give either --csv or --json');
      await withDatabase(options.actor, async ({ db }) => {
        const { customer, city } = await requireCustomer(db, username);
        const { kind, month, text } = options;
        const page = (after: number | undefined, most: number) =>
          listEntries(db, customer.id, { kind, month, text, after, most });
        if (options.csv) return writeCsv(page, city.timezone);
        const { entries, next } = await page(options.after, options.limit);
        const balanceCents = (await monthlyBalances(db, customer.id)).at(-1)?.balanceCents ?? 0n;
        const document = {
          username,
          timezone: city.timezone,
          balance: decimalOf(balanceCents),
          balance_cents: exactNumber(balanceCents),
          entries: entries.map((entry) => entryDocument(entry, city.timezone)),
          next,
        };
        answer(options, document, () => [
          ...entryLines(entries, city.timezone),
          '',
          `To pay at the end of this month: ${dollarsOf(balanceCents)}`,
          ...(next === null ? [] : [`There are more: --after ${next}`]),
        ]);
      });
    });
}

type Page = (after: number | undefined, most: number) => ReturnType<typeof listEntries>;

async function writeCsv(page: Page, timezone: string): Promise<void> {
  process.stdout.write(entriesCsvHead);
  let after: number | null | undefined;
  while (after !== null) {
    const { entries, next } = await page(after, csvPage);
    process.stdout.write(entriesCsv(entries, timezone));
    after = next;
  }
}
