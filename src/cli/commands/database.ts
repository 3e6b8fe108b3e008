import { InvalidArgumentError } from 'commander';
import { countRows, type TableDigest, Transfer } from '#db/transfer.ts';
import { reviewRestore } from '#src/customers/review-restore.ts';
import { readDatabaseUrl } from '#src/database-url.ts';
import { formatInstant, readInstant } from '#src/instant.ts';
import { verifyLedger } from '#src/ledger/verify-ledger.ts';
import { differenceDocument, differenceTable } from '../card-output.ts';
import { withOwner } from '../command-context.ts';
import { errorDocument } from '../failures.ts';
import { OperatorCommand, type SharedOptions } from '../operator-command.ts';
import { counted, success } from '../output.ts';
import { openEmpty, progressOf, rowsIn } from './backup.ts';
import { notCompared, openDifferences, reconcileNow, withProvider } from './card.ts';

export const databaseCommand = new OperatorCommand('database').description(
  'Move the data to another database',
);

const moveHint = `Set DATABASE_URL and DATABASE_OPERATOR_URL. To keep sessions, set SESSION_SECRET to sessionSecret of
DATA_DIR/secrets.json. With the sandbox, set PAYMENTS=sandbox and keep DATA_DIR. The old database is unchanged.`;

const moveHelp = `
Moves the data in DATABASE_OWNER_URL or DATA_DIR. Set PGPASSWORD, because other users of the machine can read the URL.

Example:
  $ operator database move --to postgres://scheduling_owner@db.example.com/scheduling`;

databaseCommand
  .command('move')
  .description('Copy all rows to an empty database, and compare them; the service must be stopped')
  .requiredOption('--to <url>', 'postgres://… of the role that will own the tables')
  .validate(({ to }: { to: string }) => {
    const problem = readDatabaseUrl(to);
    // Not an error of the argument, whose message would repeat the URL with its password.
    return typeof problem === 'string' ? `option '--to': the URL ${problem}.` : undefined;
  })
  .addHelpText('after', moveHelp)
  .run(async ({ to, ...options }: SharedOptions & { to: string }) => {
    const tables = await withOwner(async (ownerUrl) => {
      const source = await Transfer.read(ownerUrl, inUse);
      return moveRows(source, to, options).finally(() => source.close());
    });
    const rows = rowsIn(tables);
    return {
      document: { rows, tables },
      lines: () => [
        success(`Moved ${counted(rows, 'row')} of ${counted(tables.length, 'table')}; every table matches`),
        moveHint,
      ],
    };
  });

const inUse =
  'Nothing was moved: the service or another command is running, and its later writes would be lost. Stop it first.';

const usedMeanwhile =
  'All rows were moved, but a command has begun meanwhile, and what it changes is only in the old database. When it has ended, run it again on the new one.';

async function moveRows(source: Transfer, url: string, options: SharedOptions): Promise<TableDigest[]> {
  await source.refuseInUse(inUse);
  const onTable = progressOf(options);
  const target = await openEmpty(url);
  const digests: TableDigest[] = [];
  try {
    for (const table of source.tables) {
      onTable(table.name);
      const counting = countRows(table.name);
      await target.insertRows(table, counting.through(source.rows(table)));
      digests.push(counting.digest());
    }
    await target.compare(digests, (table) => onTable(`${table}, comparing`));
    await target.setSequences(await source.sequences());
    await source.refuseInUse(inUse);
    await target.commit();
    await source.refuseInUse(usedMeanwhile);
    return digests;
  } finally {
    await target.close();
  }
}

const reconcileHelp = `
Without --since, the time is that of the last "operator restore". After point-in-time recovery, pass its target time.
The service must be running if its payments are the sandbox's. Cards are handled as in "operator card reconcile".`;

/** After a restore to an earlier time. */
export const reconcileCommand = new OperatorCommand('reconcile')
  .description('After a restore: compare cards and sums, end sessions, and review secrets')
  .option(
    '--since <time>',
    'the time that the database was restored to, such as 2026-11-22T09:00:00Z',
    parseTime,
  )
  .addHelpText('after', reconcileHelp)
  .runOnDatabase(async (context, { since }: { since?: Date }) => {
    const cardContext = await withProvider(context);
    const { backupAt, endedSessions, validSecrets, refused } = await reviewRestore(context, since);
    const ledger = await verifyLedger(context.db);
    const { counts: cards, differences, problem } = await reconcileNow(cardContext);
    return {
      document: {
        restored_to: formatInstant(backupAt),
        ended_sessions: endedSessions,
        valid_secrets: validSecrets,
        refused,
        ledger_differences: ledger.differences.length,
        cards: cards ?? null,
        differences: differences.map(differenceDocument),
        ...(problem && { error: errorDocument(problem) }),
      },
      lines: () => [
        success(`Ended ${counted(endedSessions, 'session')} from before ${formatInstant(backupAt)}`),
        `${counted(validSecrets, 'secret')} from that time are valid. Later revocations and rotations are lost. See the request log and your records.`,
        ...refused.map(
          ({ username, failures }) =>
            `${username} was refused for a wrong secret ${counted(failures, 'time')} since. Its secret may be newer: rotate it.`,
        ),
        ...(ledger.differences.length === 0 ? [success('The monthly sums match the entries')] : []),
        ...(differences.length > 0 ? differenceTable(differences) : []),
        ...(cards ? [success(`Compared the cards of ${counted(cards.customers, 'customer')}`)] : []),
      ],
      failures: [
        ...openDifferences(differences, 'card'),
        ...(ledger.differences.length > 0 ? ['Monthly sums differ. Run: operator ledger rebuild'] : []),
        ...(problem ? [problem.message] : notCompared(cards?.failed ?? 0)),
      ],
    };
  });

function parseTime(text: string): Date {
  const at = readInstant(text);
  if (typeof at === 'string') throw new InvalidArgumentError(at);
  return new Date(at);
}
