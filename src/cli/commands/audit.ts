import { Command } from 'commander';
import { type AuditEntry, listAudit } from '#src/customers/list-audit.ts';
import { formatInstant } from '#src/instant.ts';
import { parseCount } from '../arguments.ts';
import { withDatabase } from '../command-context.ts';
import { printResult, type SharedOptions, table } from '../output.ts';

const changeCharsMax = 100;
const valueCharsMax = 40;

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
      const changes = entries.map(({ id, at, actor, action, subject, before, after }) => ({
        id,
        at: formatInstant(at),
        actor,
        action,
        subject,
        before,
        after,
      }));
      printResult(options, { changes }, () =>
        table(
          ['id', 'time', 'actor', 'action', 'subject', 'change'],
          entries.map((entry) => [
            String(entry.id),
            formatInstant(entry.at),
            entry.actor,
            entry.action,
            entry.subject,
            changeText(entry),
          ]),
        ),
      );
    });
}

function changeText(entry: AuditEntry): string {
  const before = (entry.before ?? {}) as Record<string, unknown>;
  const after = (entry.after ?? {}) as Record<string, unknown>;
  const changes = Object.entries(after).map(([name, value]) =>
    name in before
      ? `${name} ${valueText(before[name])} → ${valueText(value)}`
      : `${name} ${valueText(value)}`,
  );
  return truncate(changes.join(', '), changeCharsMax);
}

function valueText(value: unknown): string {
  return truncate(typeof value === 'string' ? value : JSON.stringify(value), valueCharsMax);
}

const truncate = (text: string, charsMax: number) =>
  text.length > charsMax ? `${text.slice(0, charsMax)}…` : text;
