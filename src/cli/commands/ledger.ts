import { Command } from 'commander';
import { connect } from '#db/client.ts';
import { rebuildLedger, verifyLedger } from '#src/ledger/verify-ledger.ts';
import { decimalOf, dollarsOf } from '#src/money.ts';
import { withDatabase } from '../database.ts';
import { answer, remark, type SharedOptions, table, tick } from '../output.ts';

type Options = SharedOptions & { customer?: string };

export function ledgerCommand(): Command {
  return new Command('ledger')
    .description('The ledger’s own books: check them, make them anew')
    .addCommand(verifyCommand())
    .addCommand(rebuildCommand());
}

function verifyCommand(): Command {
  return new Command('verify')
    .description(
      'Sum all entries anew and compare with the monthly sums that payouts read; exit 1 on a difference',
    )
    .option('--customer <username>', 'only this customer')
    .action(async (_: unknown, self: Command) => {
      const options = self.optsWithGlobals<Options>();
      const check = await withDatabase(options.actor, ({ db }) => verifyLedger(db, options.customer));
      const { entries, months, differences } = check;
      const document = differences.map((one) => ({
        username: one.username,
        month: one.month,
        entries_amount: decimalOf(one.entriesCents),
        rollup_amount: decimalOf(one.rollupCents),
        entries: one.entries,
        rollup_entries: one.rollupEntries,
      }));
      answer(options, { ok: differences.length === 0, entries, months, differences: document }, () =>
        differences.length === 0
          ? [tick(`${entries} entries and ${months} monthly sums agree`)]
          : table(
              ['customer', 'month', 'entries say', 'sums say'],
              differences.map((one) => [
                one.username,
                one.month.slice(0, 7),
                `${dollarsOf(one.entriesCents)} in ${one.entries}`,
                `${dollarsOf(one.rollupCents)} in ${one.rollupEntries}`,
              ]),
            ),
      );
      if (differences.length === 0) return;
      remark(`${differences.length} months differ. Make them anew with: operator ledger rebuild`);
      process.exitCode = 1;
    });
}

function rebuildCommand(): Command {
  return new Command('rebuild')
    .description('Make the monthly sums anew from the entries, which are never touched')
    .option('--customer <username>', 'only this customer')
    .action(async (_: unknown, self: Command) => {
      const options = self.optsWithGlobals<Options>();
      const months = await withDatabase(options.actor, async ({ ownerUrl, actor }) => {
        const { db, close } = connect(ownerUrl, 1);
        return rebuildLedger({ db, actor }, options.customer).finally(close);
      });
      answer(options, { months }, () => [tick(`${months} monthly sums made anew`)]);
    });
}
