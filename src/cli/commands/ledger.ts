import { Command } from 'commander';
import { rebuildLedger, verifyLedger } from '#src/ledger/verify-ledger.ts';
import { decimalOf, dollarsOf } from '#src/money.ts';
import { withDatabase } from '../command-context.ts';
import { counted, printError, printResult, type SharedOptions, success, table } from '../output.ts';

type Options = SharedOptions & { customer?: string };

export function ledgerCommand(): Command {
  return new Command('ledger')
    .description('Verify and rebuild the monthly sums of the ledger')
    .addCommand(verifyCommand())
    .addCommand(rebuildCommand());
}

function verifyCommand(): Command {
  return new Command('verify')
    .description('Compare the monthly sums that payouts use with the entries; exits with 1 on a difference')
    .option('--customer <username>', 'only this customer')
    .action(async (_: unknown, self: Command) => {
      const options = self.optsWithGlobals<Options>();
      const onProgress = (customers: number) => {
        if (!options.json) printError(`${counted(customers, 'customer')} checked`);
      };
      const check = await withDatabase(options.actor, ({ db }) =>
        verifyLedger(db, options.customer, { onProgress }),
      );
      const { entries, months, differences } = check;
      const document = differences.map((difference) => ({
        username: difference.username,
        month: difference.month,
        entries_amount: decimalOf(difference.entriesCents),
        rollup_amount: decimalOf(difference.rollupCents),
        entries: difference.entries,
        rollup_entries: difference.rollupEntries,
      }));
      printResult(options, { ok: differences.length === 0, entries, months, differences: document }, () =>
        differences.length === 0
          ? [success(`${counted(entries, 'entry', 'entries')} and ${counted(months, 'monthly sum')} match`)]
          : table(
              ['customer', 'month', 'entries', 'monthly sum'],
              differences.map((difference) => [
                difference.username,
                difference.month.slice(0, 7),
                `${dollarsOf(difference.entriesCents)} in ${difference.entries}`,
                `${dollarsOf(difference.rollupCents)} in ${difference.rollupEntries}`,
              ]),
            ),
      );
      if (differences.length === 0) return;
      printError(
        `${counted(differences.length, 'monthly sum')} out of date. To rebuild, run: operator ledger rebuild`,
      );
      process.exitCode = 1;
    });
}

function rebuildCommand(): Command {
  return new Command('rebuild')
    .description('Rebuild the monthly sums from the entries, which stay unchanged')
    .option('--customer <username>', 'only this customer')
    .action(async (_: unknown, self: Command) => {
      const options = self.optsWithGlobals<Options>();
      const months = await withDatabase(options.actor, (ctx) => rebuildLedger(ctx, options.customer));
      printResult(options, { months }, () => [success(`Rebuilt ${counted(months, 'monthly sum')}`)]);
    });
}
