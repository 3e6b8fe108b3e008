import { createHash } from 'node:crypto';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CsvError, type Info, parse } from 'csv-parse';
import { copyLine } from './import-queries.ts';
import { headProblem, type ImportRow, type RowProblem, readImportRow } from './import-row.ts';

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
  const measured = Readable.from(pieces(source));
  async function* pieces(stream: Readable) {
    for await (const piece of stream as AsyncIterable<Buffer>) {
      hash.update(piece);
      bytes += piece.length;
      onProgress({ bytes, rows: result.rows });
      yield piece;
    }
  }
  await pipeline(copyLines(records(measured, report), result, report), staging);
  return { ...result, sha256: hash.digest('hex') };
}

type Parsed = { record: string[]; info: Info };

/** The records of a CSV text. They end at the first syntax error, which is reported. */
async function* records(source: Readable, report: Report): AsyncGenerator<Parsed> {
  const parser = parse({
    bom: true,
    info: true,
    relax_column_count: true,
    max_record_size: 1_000_000,
  });
  source.on('error', (error) => parser.destroy(error));
  try {
    for await (const parsed of source.pipe(parser)) yield parsed as unknown as Parsed;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const message = `Not valid CSV from this line on: ${csvFault(error)}`;
    report({ line: Number(error.lines ?? 0), column: '', message });
  }
}

/** Converts records into lines for the staging table, in batches. */
async function* copyLines(
  parsed: AsyncIterable<Parsed>,
  result: { rows: number; areReferencesMissing: boolean },
  report: Report,
): AsyncGenerator<string> {
  let columns: string[] | undefined;
  let line = 1;
  let chunk = '';
  for await (const { record, info } of parsed) {
    const start = line;
    line = info.lines + 1;
    // Skipped here, because `skip_empty_lines` leaves them out of the line numbers.
    if (record.length === 1 && record[0] === '') continue;
    if (!columns) {
      columns = readHead(record, report);
      if (!columns) return;
      continue;
    }
    result.rows++;
    const row = readRecord(start, columns, record);
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

function csvFault(error: CsvError): string {
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') return 'a quotation mark is not closed.';
  if (error.code === 'CSV_MAX_RECORD_SIZE')
    return 'a record is too long. Check for a missing closing quotation mark.';
  return 'a quotation mark is in the wrong place.';
}
