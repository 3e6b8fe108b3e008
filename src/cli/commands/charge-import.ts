import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { Command } from 'commander';
import { DomainError } from '#src/errors.ts';
import { escapeControlChars } from '#src/escape.ts';
import { type ImportOutcome, importEntries } from '#src/ledger/import-entries.ts';
import { importColumns, type RowProblem } from '#src/ledger/import-row.ts';
import { givenFile, withDatabase } from '../database.ts';
import { showProgress } from '../import-progress.ts';
import { answer, remark, type SharedOptions, tick } from '../output.ts';

export function importCommand(): Command {
  return new Command('import')
    .description('Add the entries of a CSV file, all or none; the same file again adds nothing')
    .argument('<file>', 'CSV in UTF-8 whose first line names the columns')
    .addHelpText('after', importHelp)
    .action(async (name: string, _: unknown, self: Command) => {
      const options = self.optsWithGlobals<SharedOptions>();
      const file = givenFile(name);
      const found = await stat(file).catch(() => undefined);
      if (!found?.isFile()) throw new DomainError('refused', `There is no file ${escapeControlChars(file)}.`);
      const progress = showProgress(found.size, options.json ?? false);
      const outcome = await withDatabase(options.actor, ({ url, actor }) =>
        importEntries({
          url,
          actor,
          source: createReadStream(file),
          name: path.basename(file),
          onProgress: progress.update,
        }),
      ).finally(progress.end);
      report(options, outcome);
    });
}

function report(options: SharedOptions, outcome: ImportOutcome): void {
  const { rows, added, known, customers, problems, problemsLeftOut } = outcome;
  if (problems.length > 0) {
    if (options.json) {
      const message = 'Nothing was added: the file has rows that cannot be.';
      const error = { code: 'invalid_input', message, problems, problems_left_out: problemsLeftOut };
      answer(options, { rows, added, error }, () => []);
    }
    for (const problem of problems) remark(problemLine(problem));
    if (problemsLeftOut > 0) remark(`… and ${problemsLeftOut} more.`);
    remark(
      `Nothing was added: mend ${problems.length + problemsLeftOut} of ${rows} rows and import the file again.`,
    );
    process.exitCode = 1;
    return;
  }
  answer(options, { rows, added, already_there: known, customers }, () => [
    tick(`${added} of ${rows} entries added, to ${customers} customer${customers === 1 ? '' : 's'}`),
    ...(known > 0 ? [`  ${known} were there already`] : []),
  ]);
}

function problemLine({ line, column, message }: RowProblem): string {
  return `line ${line}${column === '' ? '' : `, column ${escapeControlChars(column)}`}: ${escapeControlChars(message)}`;
}

const importHelp = `
Columns: ${importColumns.join(', ')}. Needed are username, at, and amount or miles.
  kind         delivery (when empty), adjustment, credit or payment
  amount       dollars, such as 12.50; positive but for adjustments
  miles        in place of the amount of a delivery: the price table of the customer’s city says it
  at           ISO 8601 with an offset, such as 2026-11-20T14:30:00-08:00
  reference    unique among the customer’s entries; made of the row when empty

Example of a file:
  username,kind,amount,at,description,reference
  acme,delivery,12.50,2026-11-20T14:30:00-08:00,To the fair,INV-1042
  acme,payment,250.00,2026-11-01T08:00:00-07:00,Bank transfer,PAY-77

Example:
  $ operator charge import november.csv`;
