import { createHash } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { copyLine } from './import-queries.ts';
import { headProblem, type ImportRow, type RowProblem, readImportRow } from './import-row.ts';
import { readCsv } from './read-csv.ts';

export type ReadProgress = { bytes: number; rows: number };
export type ReadResult = { rows: number; sha256: string; areReferencesMissing: boolean };
type Report = (problem: RowProblem) => void;

/** Large enough to avoid a write per row, small enough to use little memory. */
const chunkCharacters = 64 * 1024;

/**
 * Streams a CSV file into the staging table, checking each row. Valid rows are staged, the others are reported.
 * @param onProgress called for each chunk of the file
 */
export async function readImport(
  source: Readable,
  staging: Writable,
  report: Report,
  onProgress: (progress: ReadProgress) => void,
): Promise<ReadResult> {
  const hash = createHash('sha256');
  const result = { rows: 0, areReferencesMissing: false };
  let bytes = 0;
  async function* measured() {
    for await (const piece of source as AsyncIterable<Buffer>) {
      hash.update(piece);
      bytes += piece.length;
      onProgress({ bytes, rows: result.rows });
      yield piece;
    }
  }
  await pipeline(copyLines(measured(), result, report), staging);
  return { ...result, sha256: hash.digest('hex') };
}

/** Converts a CSV file into lines for the staging table, in batches. They end at the first syntax error. */
async function* copyLines(
  pieces: AsyncIterable<Buffer>,
  result: { rows: number; areReferencesMissing: boolean },
  report: Report,
): AsyncGenerator<string> {
  let columns: string[] | undefined;
  let chunk = '';
  for await (const records of readCsv(pieces)) {
    for (const record of records) {
      const { line } = record;
      if ('fault' in record) {
        report({ line, column: '', message: `Not valid CSV from this line on: ${record.fault}` });
        return;
      }
      const { cells } = record;
      if (cells.length === 1 && cells[0] === '') continue;
      if (!columns) {
        columns = readHead(cells, report);
        if (!columns) return;
        continue;
      }
      result.rows++;
      const row = readRecord(line, columns, cells);
      if (Array.isArray(row)) {
        row.forEach(report);
        continue;
      }
      result.areReferencesMissing ||= row.reference === null;
      chunk += copyLine(copied(row));
      if (chunk.length < chunkCharacters) continue;
      yield chunk;
      chunk = '';
    }
  }
  if (!columns) report({ line: 1, column: '', message: 'The file is empty.' });
  yield chunk;
}

function readHead(record: string[], report: Report): string[] | undefined {
  const columns = record.map((cell) => cell.trim().toLowerCase());
  const message = headProblem(columns);
  if (message) report({ line: 1, column: '', message });
  return message ? undefined : columns;
}

function readRecord(line: number, columns: string[], record: string[]): ImportRow | RowProblem[] {
  if (record.length !== columns.length) {
    const message = `This line has ${record.length} cells, but the first line has ${columns.length}.`;
    return [{ line, column: columns[Math.min(record.length, columns.length) - 1] ?? '', message }];
  }
  const cells: Record<string, string> = {};
  for (const [index, column] of columns.entries()) cells[column] = record[index] ?? '';
  return readImportRow(line, cells);
}

function copied(row: ImportRow): (string | number | bigint | null)[] {
  const { line, username, kind, amountCents, miles, takesEffectAt, description, reference } = row;
  return [line, username, kind, amountCents, miles, takesEffectAt, description, reference];
}
