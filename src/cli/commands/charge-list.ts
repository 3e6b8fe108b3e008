import { Command } from 'commander';
import { getCustomerByUsername } from '#src/customers/get-customer.ts';
import { entriesCsv, entriesCsvHead } from '#src/ledger/entries-csv.ts';
import type { EntryKind } from '#src/ledger/entry.ts';
import { listEntries } from '#src/ledger/list-entries.ts';
import { monthlyBalances } from '#src/ledger/monthly-balances.ts';
import { decimalOf, dollarsOf, exactNumber } from '#src/money.ts';
import { parseCount, parseKind, parseMonth } from '../arguments.ts';
import { withDatabase } from '../command-context.ts';
import { entryDocument, entryLines } from '../entry-output.ts';
import { printResult, type SharedOptions } from '../output.ts';

type ListOptions = SharedOptions & {
  kind?: EntryKind;
  month?: string;
  text?: string;
  limit: number;
  after?: number;
  csv?: true;
};

const csvPageRows = 1_000;

export function listCommand(): Command {
  return new Command('list')
    .description("List a customer's entries, latest first, and the balance at the end of this month")
    .argument('<username>')
    .option('--kind <kind>', 'only deliveries, adjustments, credits, or payments', parseKind)
    .option('--month <month>', "only one month in the city's time zone, such as 2026-11", parseMonth)
    .option('--text <text>', 'only entries with this text in their description or reference')
    .option('--limit <number>', 'maximum number of entries', parseCount, 100)
    .option(
      '--after <id>',
      'continue after the entry with this ID ("next" in the previous output)',
      parseCount,
    )
    .option('--csv', 'print all entries as CSV that is safe to open in a spreadsheet')
    .addHelpText(
      'after',
      '\nExamples:\n  $ operator charge list acme --month 2026-11 --kind delivery\n  $ operator charge list acme --csv > acme.csv',
    )
    .action(async (username: string, _: unknown, self: Command) => {
      const options = self.optsWithGlobals<ListOptions>();
      if (options.csv && options.json) self.error('error: use either --csv or --json');
      await withDatabase(options.actor, async ({ db }) => {
        const { customer, city } = await getCustomerByUsername(db, username);
        const { kind, month, text } = options;
        const page: Page = (after, limit) =>
          listEntries(db, customer.id, { kind, month, text, after, limit });
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
        printResult(options, document, () => [
          ...entryLines(entries, city.timezone),
          '',
          `Balance due at the end of this month: ${dollarsOf(balanceCents)}`,
          ...(next === null ? [] : [`To see more entries, add: --after ${next}`]),
        ]);
      });
    });
}

type Page = (after: number | undefined, limit: number) => ReturnType<typeof listEntries>;

async function writeCsv(page: Page, timezone: string): Promise<void> {
  process.stdout.write(entriesCsvHead);
  let after: number | null | undefined;
  while (after !== null) {
    const { entries, next } = await page(after, csvPageRows);
    process.stdout.write(entriesCsv(entries, timezone));
    after = next;
  }
}
