import { throwBalanceOutOfRange } from './add-entry.ts';
import { LedgerImport, problemsMax, type SkippedRow } from './import-queries.ts';
import type { RowProblem } from './import-row.ts';
import { type ReadProgress, readImport } from './read-import.ts';

export type ImportEntriesInput = {
  /** The database URL, because an import opens its own connection. */
  url: string;
  actor: string;
  source: AsyncIterable<Buffer>;
  /** The file's name, for the audit. */
  name: string;
  onProgress?: (progress: ReadProgress | 'adding') => void;
  /** Its failure is thrown, and nothing is added. */
  beforeCommit?: () => Promise<void>;
};

/** If there are problems, no row was added. */
export type ImportOutcome = {
  rows: number;
  added: number;
  /** Rows that were not added because their entry exists. */
  alreadyThere: number;
  /** Rows that were not added because their entry was reversed. */
  reversed: number;
  customers: number;
  /** Both, by line, up to 100,000. */
  skipped: SkippedRow[];
  problems: RowProblem[];
  /** The number of problems that `problems` does not list. */
  problemsLeftOut: number;
};

const nothingAdded = { added: 0, alreadyThere: 0, reversed: 0, customers: 0, skipped: [] };

/**
 * Adds the entries of a CSV file, all or none. The same file again adds nothing. A row whose entry exists or was reversed
 * is skipped and reported, because only a person can tell whether it is the same charge.
 * @throws DomainError refused when a balance would pass 2^53 cents
 */
export async function importEntries(input: ImportEntriesInput): Promise<ImportOutcome> {
  const problems: RowProblem[] = [];
  let problemsLeftOut = 0;
  const report = (problem: RowProblem) => {
    if (problems.length < problemsMax) problems.push(problem);
    else problemsLeftOut++;
  };
  const ledger = await LedgerImport.begin(input.url);
  try {
    const read = await readImport(
      input.source,
      (lines) => ledger.stage(lines),
      report,
      input.onProgress ?? (() => {}),
    );
    input.onProgress?.('adding');
    await ledger.resolve(read.areReferencesMissing);
    for (const problem of await ledger.findProblems()) report(problem);
    const source = { name: input.name, sha256: read.sha256 };
    const counts = problems.length === 0 ? await ledger.add(input.actor, source) : nothingAdded;
    const { added, customers } = counts;
    for (const problem of await ledger.findErased()) report(problem);
    const skipped = read.rows - added;
    if (skipped > 0) {
      // A row is skipped too if another one of the file has its reference.
      for (const problem of await ledger.findDuplicates()) report(problem);
      if (problems.length === 0) for (const problem of await ledger.findConflicts()) report(problem);
    }
    if (problems.length > 0) {
      problems.sort((a, b) => a.line - b.line);
      return { ...nothingAdded, rows: read.rows, problems, problemsLeftOut };
    }
    const { rows: skippedRows, reversed } =
      skipped > 0 ? await ledger.findSkipped() : { rows: [], reversed: 0 };
    await input.beforeCommit?.();
    await ledger.commit().catch(throwBalanceOutOfRange);
    return {
      rows: read.rows,
      added,
      alreadyThere: skipped - reversed,
      reversed,
      customers,
      skipped: skippedRows,
      problems,
      problemsLeftOut,
    };
  } finally {
    await ledger.end();
  }
}
