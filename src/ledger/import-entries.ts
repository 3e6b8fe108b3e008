import type { Readable } from 'node:stream';
import { LedgerImport } from './import-queries.ts';
import type { RowProblem } from './import-row.ts';
import { throwBalanceOutOfRange } from './ledger-queries.ts';
import { type ReadProgress, readImport } from './read-import.ts';

export type ImportEntriesInput = {
  /** Of the database, for a connection of the import's own. */
  url: string;
  actor: string;
  /** The file's bytes. */
  source: Readable;
  /** The file's name, for the audit. */
  name: string;
  onProgress?: (progress: ReadProgress | 'adding') => void;
};

/** With problems nothing was added. */
export type ImportOutcome = {
  rows: number;
  added: number;
  /** Rows whose entry was there already. */
  known: number;
  customers: number;
  problems: RowProblem[];
  /** How many more there are than `problems` lists. */
  problemsLeftOut: number;
};

const problemsMax = 100_000;

/**
 * Adds the entries of a CSV file, all or none. The same file again adds nothing.
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
    const read = await readImport(input.source, await ledger.stage(), report, input.onProgress ?? (() => {}));
    input.onProgress?.('adding');
    await ledger.resolve(read.areReferencesMissing);
    for (const problem of await ledger.findProblems()) report(problem);
    const refused = () => {
      problems.sort((a, b) => a.line - b.line);
      return { rows: read.rows, added: 0, known: 0, customers: 0, problems, problemsLeftOut };
    };
    if (problems.length > 0) return refused();
    const counts = await ledger
      .add(input.actor, { name: input.name, sha256: read.sha256 })
      .catch(throwBalanceOutOfRange);
    if (counts.known > 0) for (const problem of await ledger.findConflicts()) report(problem);
    if (problems.length > 0) return refused();
    await ledger.commit();
    return { rows: read.rows, ...counts, problems, problemsLeftOut };
  } finally {
    await ledger.end();
  }
}
