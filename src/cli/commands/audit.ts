import { Command } from 'commander';
import { type AuditEntry, listAudit } from '#src/customers/list-audit.ts';
import { readCount } from '../arguments.ts';
import { withDatabase } from '../database.ts';
import { answer, type SharedOptions, table } from '../output.ts';
import { timestamp } from '../timestamp.ts';

const widestChange = 100;

export function auditCommand(): Command {
  return new Command('audit')
    .description('Who changed what, and when, latest first')
    .argument('[username]', 'only what concerns this customer')
    .option('--limit <number>', 'changes at most', readCount, 50)
    .option('--after <id>', 'go on after the change of this id', readCount)
    .addHelpText(
      'after',
      '\nWith --json each change has the values before and after.\n\nExample:\n  $ operator audit acme --limit 10',
    )
    .action(async (username: string | undefined, _: unknown, self: Command) => {
      const options = self.optsWithGlobals<SharedOptions & { limit: number; after?: number }>();
      const found = await withDatabase(options.actor, ({ db }) =>
        listAudit(db, { username, most: options.limit, after: options.after }),
      );
      const changes = found.map(({ id, at, actor, action, subject, before, after }) => ({
        id,
        at: timestamp(at),
        actor,
        action,
        subject,
        before,
        after,
      }));
      answer(options, { changes }, () =>
        table(
          ['id', 'when', 'who', 'what', 'of', 'change'],
          found.map((entry) => [
            String(entry.id),
            timestamp(entry.at),
            entry.actor,
            entry.action,
            entry.subject,
            changeWords(entry),
          ]),
        ),
      );
    });
}

function changeWords({ before, after }: AuditEntry): string {
  const old = (before ?? {}) as Record<string, unknown>;
  const words = Object.entries((after ?? {}) as Record<string, unknown>).map(([name, value]) =>
    name in old ? `${name} ${shown(old[name])} → ${shown(value)}` : `${name} ${shown(value)}`,
  );
  const line = words.join(', ');
  return line.length > widestChange ? `${line.slice(0, widestChange)}…` : line;
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
