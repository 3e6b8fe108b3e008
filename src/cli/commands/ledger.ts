import { differencesMax, rebuildLedger, verifyLedger } from '#src/ledger/verify-ledger.ts';
import { decimalOf, dollarsOf } from '#src/money.ts';
import { OperatorCommand, type SharedOptions } from '../operator-command.ts';
import { counted, printError, success, table } from '../output.ts';

type Options = SharedOptions & { customer?: string };

export const ledgerCommand = new OperatorCommand('ledger').description(
  'Verify and rebuild the monthly sums of the ledger',
);

ledgerCommand
  .command('verify')
  .description('Compare the monthly sums that payouts use with the entries; exits with 1 on a difference')
  .option('--customer <username>', 'only this customer')
  .runOnDatabase(async ({ db }, { customer, json }: Options) => {
    const onProgress = (customers: number) => {
      if (!json) printError(`${counted(customers, 'customer')} checked`);
    };
    const { entries, months, differences } = await verifyLedger(db, customer, { onProgress });
    const ok = differences.length === 0;
    const document = differences.map((difference) => ({
      username: difference.username,
      month: difference.month,
      entries_amount: decimalOf(difference.entriesCents),
      rollup_amount: decimalOf(difference.rollupCents),
      entries: difference.entries,
      rollup_entries: difference.rollupEntries,
    }));
    return {
      document: { ok, entries, months, differences: document },
      lines: () =>
        ok
          ? [success(`${counted(entries, 'entry', 'entries')} and ${counted(months, 'monthly sum')} match`)]
          : table(differences, {
              customer: ({ username }) => username,
              month: ({ month }) => month.slice(0, 7),
              entries: ({ entriesCents, entries }) => `${dollarsOf(entriesCents)} in ${entries}`,
              'monthly sum': (row) => `${dollarsOf(row.rollupCents)} in ${row.rollupEntries}`,
            }),
      failures: ok
        ? []
        : [
            `${differences.length < differencesMax ? '' : 'At least '}${counted(differences.length, 'monthly sum')} out of date. To rebuild, run: operator ledger rebuild`,
          ],
    };
  });

ledgerCommand
  .command('rebuild')
  .description('Rebuild the monthly sums from the entries, which stay unchanged')
  .option('--customer <username>', 'only this customer')
  .runOnDatabase(async (context, { customer }: Options) => {
    const months = await rebuildLedger(context, customer);
    return { document: { months }, lines: () => [success(`Rebuilt ${counted(months, 'monthly sum')}`)] };
  });
