import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import { progress } from '@clack/prompts';
import { DomainError } from '#src/errors.ts';
import { formatInstant } from '#src/instant.ts';
import { type ImportOutcome, importEntries } from '#src/ledger/import-entries.ts';
import type { SkippedRow } from '#src/ledger/import-queries.ts';
import { importColumns, type RowProblem } from '#src/ledger/import-row.ts';
import type { ReadProgress } from '#src/ledger/read-import.ts';
import { decimalOf, exactNumber } from '#src/money.ts';
import { escapeControlChars } from '#src/text.ts';
import { bytesOf, resolveFile, withDatabase } from '../command-context.ts';
import { OperatorCommand, type Output, type SharedOptions } from '../operator-command.ts';
import { counted, localTime, signedDollars, success, table } from '../output.ts';

const importHelp = `
Columns: ${importColumns.join(', ')}. Required: username, at, and amount or miles.
  kind         delivery (default), adjustment, credit, or payment
  amount       dollars, such as 12.50; positive unless the kind is adjustment
  miles        instead of amount, for a delivery: its price is today's price in the city's price table
  at           ISO 8601 with an offset, such as 2026-11-20T14:30:00-08:00
  reference    unique among the customer's entries; derived from the row when empty; can't start with reversal:

A row whose entry already exists or was reversed is skipped and listed. To add it as another entry, give it a new reference.

Example file:
  username,kind,amount,at,description,reference
  acme,delivery,12.50,2026-11-20T14:30:00-08:00,To the fair,INV-1042
  acme,payment,250.00,2026-11-01T08:00:00-07:00,Bank transfer,PAY-77

Example:
  $ operator charge import november.csv`;

export const importCommand = new OperatorCommand('import')
  .description('Import entries from a CSV file, all or none; importing a file twice adds nothing')
  .argument('<file>', 'CSV in UTF-8 with a header row')
  .addHelpText('after', importHelp)
  .run(async (name: string, options: SharedOptions) => {
    const file = resolveFile(name);
    const bytes = await bytesOf(file);
    // Before the database, so that its failure has a listener.
    const opened = await open(file).catch((error: NodeJS.ErrnoException) => {
      throw new DomainError('refused', `${escapeControlChars(file)} can't be read (${error.code}).`);
    });
    const bar = showProgress(bytes, options.json ?? false);
    const outcome = await withDatabase(options.actor, ({ url, actor }) =>
      importEntries({
        url,
        actor,
        source: readWhole(opened, bytes),
        name: path.basename(file),
        onProgress: bar.update,
        beforeCommit: () => refuseOtherSize(opened, bytes),
      }),
    ).finally(() => {
      bar.stop();
      return opened.close();
    });
    return outcome.problems.length > 0 ? problemsOutput(outcome) : successOutput(outcome);
  });

async function* readWhole(file: FileHandle, bytes: number): AsyncGenerator<Buffer> {
  // Larger pieces are no faster, and a million rows would take 30 MB more memory.
  yield* file.createReadStream({ highWaterMark: 16 * 1024, autoClose: false }) as AsyncIterable<Buffer>;
  await refuseOtherSize(file, bytes);
}

/** @throws DomainError refused when the size has changed, as while the file is being copied: its last row can be cut off */
async function refuseOtherSize(file: FileHandle, bytes: number): Promise<void> {
  const { size } = await file.stat();
  if (size !== bytes)
    throw new DomainError('refused', 'Nothing was imported: the file has changed. Import it again.');
}

function successOutput(outcome: ImportOutcome): Output {
  const { rows, added, alreadyThere, reversed, customers, skipped } = outcome;
  const document = {
    rows,
    added,
    already_there: alreadyThere,
    reversed,
    customers,
    skipped: skipped.map((row) => ({
      line: row.line,
      status: row.isReversed ? 'reversed' : 'already_there',
      reference: row.reference,
      amount: decimalOf(row.amountCents),
      amount_cents: exactNumber(row.amountCents),
      added_at: formatInstant(row.addedAt),
    })),
    skipped_left_out: alreadyThere + reversed - skipped.length,
  };
  const lines = () => [
    success(`Added ${added} of ${counted(rows, 'entry', 'entries')} for ${counted(customers, 'customer')}`),
    ...skippedLines(skipped, alreadyThere + reversed),
  ];
  return { document, lines };
}

/** More rows than this are only counted: `--json` lists them. */
const skippedLinesMax = 100;

function skippedLines(skipped: SkippedRow[], total: number): string[] {
  if (total === 0) return [];
  const listed = skipped.slice(0, skippedLinesMax);
  return [
    '',
    total === 1
      ? '1 row was skipped because its entry already exists:'
      : `${total} rows were skipped because their entries already exist:`,
    ...table(
      listed,
      {
        line: ({ line }) => line,
        status: ({ isReversed }) => (isReversed ? 'reversed' : 'already exists'),
        'added (UTC)': ({ addedAt }) => localTime(addedAt, 'UTC'),
        amount: ({ amountCents }) => signedDollars(amountCents),
        reference: ({ reference }) => reference,
      },
      ['line', 'amount'],
    ),
    ...(total > listed.length ? [`… and ${total - listed.length} more. To list them, use --json.`] : []),
    '',
    'To add a skipped row as another entry, give it a new reference and import the file again.',
  ];
}

function problemsOutput(outcome: ImportOutcome): Output {
  const { rows, added, problems, problemsLeftOut } = outcome;
  const message = failureMessage(outcome);
  const error = { code: 'invalid_input', message, problems, problems_left_out: problemsLeftOut };
  return {
    document: { rows, added, error },
    lines: () => [],
    failures: [
      ...problems.map(problemLine),
      ...(problemsLeftOut > 0 ? [`… and ${problemsLeftOut} more.`] : []),
      message,
    ],
  };
}

function failureMessage({ rows, problems, problemsLeftOut }: ImportOutcome): string {
  const invalidRows = new Set(problems.map(({ line }) => line)).size;
  const isFileInvalid = invalidRows > rows || problems.some(({ line }) => line === 1);
  if (isFileInvalid) return 'Nothing was imported: the file is invalid. Fix it and import it again.';
  if (invalidRows === 1) {
    return `Nothing was imported: 1 of ${counted(rows, 'row')} is invalid. Fix it and import the file again.`;
  }
  const prefix = problemsLeftOut > 0 ? 'at least ' : '';
  return `Nothing was imported: ${prefix}${invalidRows} of ${rows} rows are invalid. Fix them and import the file again.`;
}

function problemLine({ line, column, message }: RowProblem): string {
  const position = column === '' ? `line ${line}` : `line ${line}, column ${escapeControlChars(column)}`;
  return `${position}: ${escapeControlChars(message)}`;
}

type ProgressBar = { update: (progress: ReadProgress | 'adding') => void; stop: () => void };

const steps = 100;
const updateIntervalMs = 200;
/** As a shell reports a command that Ctrl-C has ended. */
export const exitInterrupted = 130;

/** Shows how much of a file was read, with the rate and the time left, if standard error is a terminal. */
function showProgress(totalBytes: number, isQuiet: boolean): ProgressBar {
  if (isQuiet || !process.stderr.isTTY) return { update: () => {}, stop: () => {} };
  const startedAt = performance.now();
  // The bar handles Ctrl-C and signals itself: it would exit with 0, or only stop being drawn.
  const onCancel = () => process.exit(exitInterrupted);
  const bar = progress({ style: 'light', max: steps, output: process.stderr, onCancel });
  const onExit = () => {
    process.exitCode = exitInterrupted;
  };
  process.on('exit', onExit);
  let [currentStep, updatedAt] = [0, 0];
  bar.start('Reading the file');
  return {
    update: (state) => {
      if (state === 'adding') return bar.message('Checking and adding the entries');
      const now = performance.now();
      if (now - updatedAt < updateIntervalMs) return;
      updatedAt = now;
      const share = totalBytes === 0 ? 1 : state.bytes / totalBytes;
      const step = Math.floor(share * steps);
      bar.advance(step - currentStep, progressText(state.rows, share, (now - startedAt) / 1000));
      currentStep = step;
    },
    stop: () => {
      process.off('exit', onExit);
      bar.stop('File read');
    },
  };
}

function progressText(rows: number, share: number, seconds: number): string {
  const rate = Math.round(rows / Math.max(seconds, 0.001));
  const secondsLeft = share > 0 ? Math.ceil((seconds / share) * (1 - share)) : 0;
  return `${rows.toLocaleString('en-US')} rows, ${rate.toLocaleString('en-US')} rows/s, ${secondsLeft} s left`;
}
