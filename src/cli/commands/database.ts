import { Command, InvalidArgumentError } from 'commander';
import { countRows, type TableDigest, Transfer } from '#db/transfer.ts';
import { type NamedDifference, reconcileCards } from '#src/cards/reconcile-cards.ts';
import { reviewRestore } from '#src/customers/review-restore.ts';
import { readDatabaseUrl } from '#src/database-url.ts';
import { formatInstant, readInstant } from '#src/instant.ts';
import { verifyLedger } from '#src/ledger/verify-ledger.ts';
import { differenceDocument, differenceTable, isOpen } from '../card-output.ts';
import { withDatabase, withOwner } from '../command-context.ts';
import { counted, printError, printResult, type SharedOptions, success } from '../output.ts';
import { openEmpty, progressOf } from './backup.ts';
import { withProvider } from './card.ts';

export function databaseCommand(): Command {
  return new Command('database').description('Move the data to another database').addCommand(
    new Command('move')
      .description('Copy all rows to an empty database, and compare them; the service must be stopped')
      .requiredOption('--to <url>', 'postgres://… of the role that will own the tables', parseDatabaseUrl)
      .addHelpText('after', moveHelp)
      .action(async (_: unknown, self: Command) => {
        const { to, ...options } = self.optsWithGlobals<SharedOptions & { to: string }>();
        const tables = await withOwner(async (ownerUrl) => {
          const source = await Transfer.read(ownerUrl);
          return moveRows(source, to, options).finally(() => source.close());
        });
        const rows = tables.reduce((sum, table) => sum + table.rows, 0);
        printResult(options, { rows, tables }, () => [
          success(`Moved ${counted(rows, 'row')} of ${counted(tables.length, 'table')}; every table matches`),
          moveHint,
        ]);
      }),
  );
}

const inUse = 'Nothing was moved: the service is running, and its later writes would be lost. Stop it first.';

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
    await source.refuseInUse(inUse);
    await target.setSequences(await source.sequences());
    await target.commit();
    return digests;
  } finally {
    await target.close();
  }
}

function parseDatabaseUrl(text: string): string {
  const read = readDatabaseUrl(text);
  if (typeof read === 'string') throw new InvalidArgumentError(`The URL ${read}.`);
  return text;
}

/** After a restore to an earlier time. */
export function reconcileCommand(): Command {
  return new Command('reconcile')
    .description('After a restore: compare cards and sums, end sessions, and review secrets')
    .option(
      '--since <time>',
      'the time that the database was restored to, such as 2026-11-22T09:00:00Z',
      parseTime,
    )
    .addHelpText('after', reconcileHelp)
    .action(async (_: unknown, self: Command) => {
      const { since, ...options } = self.optsWithGlobals<SharedOptions & { since?: Date }>();
      const differences: NamedDifference[] = [];
      const { review, ledger, cards } = await withDatabase(options.actor, async (context) => {
        const cardContext = await withProvider(context);
        return {
          review: await reviewRestore(context, since),
          ledger: await verifyLedger(context.db),
          cards: await reconcileCards(cardContext, {
            isByHand: true,
            onDifference: (difference) => differences.push(difference),
            onFailure: (customerId, error) => printError(`Customer ${customerId}: ${error.message}`),
          }),
        };
      });
      const { backupAt, endedSessions, validSecrets, refused } = review;
      const document = {
        restored_to: formatInstant(backupAt),
        ended_sessions: endedSessions,
        valid_secrets: validSecrets,
        refused,
        ledger_differences: ledger.differences.length,
        cards: cards ?? null,
        differences: differences.map(differenceDocument),
      };
      printResult(options, document, () => [
        success(`Ended ${counted(endedSessions, 'session')} from before ${formatInstant(backupAt)}`),
        `${counted(validSecrets, 'secret')} from that time are valid. Later revocations and rotations are lost. See the request log and your records.`,
        ...refused.map(
          ({ username, failures }) =>
            `${username} was refused for a wrong secret ${counted(failures, 'time')} since. Its secret may be newer: rotate it.`,
        ),
        ...(ledger.differences.length === 0 ? [success('The monthly sums match the entries')] : []),
        ...(differences.length > 0 ? differenceTable(differences) : []),
        ...(cards ? [success(`Compared the cards of ${counted(cards.customers, 'customer')}`)] : []),
      ]);
      const open = differences.filter(isOpen).length;
      if (open > 0) fail(`${counted(open, 'card')} left unchanged. Check the provider's dashboard.`);
      if (ledger.differences.length > 0) fail('Monthly sums differ. Run: operator ledger rebuild');
      if (!cards) fail('The cards were not compared, because a reconciliation is running. Try again later.');
      if (cards?.failed)
        fail(`${counted(cards.failed, 'customer')} not compared because the provider failed.`);
    });
}

function fail(message: string): void {
  printError(message);
  process.exitCode = 1;
}

function parseTime(text: string): Date {
  const at = readInstant(text);
  if (typeof at === 'string') throw new InvalidArgumentError(at);
  return new Date(at);
}

const moveHint = `Set DATABASE_URL and DATABASE_OPERATOR_URL. To keep sessions, set SESSION_SECRET to sessionSecret of
DATA_DIR/secrets.json. With the sandbox, set PAYMENTS=sandbox and keep DATA_DIR. The old database is unchanged.`;

const moveHelp = `
Moves the data in DATABASE_OWNER_URL or DATA_DIR. To keep the password out of the process list, leave it out of the URL and
set PGPASSWORD.

Example:
  $ operator database move --to postgres://scheduling_owner:password@db.example.com/scheduling`;

const reconcileHelp = `
Without --since, the time is that of the last "operator restore". After point-in-time recovery, pass its target time.
The service must be running if its payments are the sandbox's. Cards are handled as in "operator card reconcile".`;
