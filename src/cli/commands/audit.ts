import { Command } from 'commander';
import { listAudit } from '#src/customers/list-audit.ts';
import { parseCount } from '../arguments.ts';
import { auditDocument, auditTable } from '../audit-output.ts';
import { withDatabase } from '../command-context.ts';
import { printResult, type SharedOptions } from '../output.ts';

export function auditCommand(): Command {
  return new Command('audit')
    .description('List who changed what and when, latest first')
    .argument('[username]', 'only changes that concern this customer')
    .option('--limit <number>', 'maximum number of changes', parseCount, 50)
    .option('--after <id>', 'continue after the change with this ID', parseCount)
    .addHelpText(
      'after',
      '\nWith --json, each change includes the values before and after.\n\nExample:\n  $ operator audit acme --limit 10',
    )
    .action(async (username: string | undefined, _: unknown, self: Command) => {
      const options = self.optsWithGlobals<SharedOptions & { limit: number; after?: number }>();
      const entries = await withDatabase(options.actor, ({ db }) =>
        listAudit(db, { username, limit: options.limit, after: options.after }),
      );
      printResult(options, { changes: entries.map(auditDocument) }, () => auditTable(entries));
    });
}
