import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { CsvError, parse } from 'csv-parse';
import { copyLine } from './import-queries.ts';
import { headProblem, type ImportRow, type RowProblem, readImportRow } from './import-row.ts';

export type ReadProgress = { bytes: number; rows: number };
export type ReadResult = { rows: number; sha256: string; areReferencesMissing: boolean };
type Report = (problem: RowProblem) => void;

/**
 * Checks each row of a CSV file. Valid rows are staged, the others are reported.
 * @param stage gets the lines for the staging table
 * @param onProgress called for each chunk of the file
 */
export async function readImport(
  source: AsyncIterable<Buffer>,
  stage: (lines: AsyncIterable<string>) => Promise<void>,
  report: Report,
  onProgress: (progress: ReadProgress) => void,
): Promise<ReadResult> {
  const hash = createHash('sha256');
  const result = { rows: 0, areReferencesMissing: false };
  let bytes = 0;
  async function* pieces() {
    for await (const piece of source) {
      hash.update(piece);
      bytes += piece.length;
      onProgress({ bytes, rows: result.rows });
      yield piece;
    }
  }
  await stage(copyLines(records(pieces(), report), result, report));
  return { ...result, sha256: hash.digest('hex') };
}

/** With the line where the next record begins. */
type Parsed = { record: string[]; nextLine: number };

/** The records of a CSV text, those of a piece together. They end at the first syntax error, which is reported. */
async function* records(pieces: AsyncIterable<Buffer>, report: Report): AsyncGenerator<Parsed[]> {
  const parsed: Parsed[] = [];
  const parser = parse({
    bom: true,
    // Otherwise, the first line's ending holds for all, and the rest of another one becomes part of a value.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: 1_000_000,
    // A stream of single records would take a third longer.
    on_record: (record: string[], { lines }) => void parsed.push({ record, nextLine: lines + 1 }),
  });
  // The failed write reports it too.
  parser.on('error', () => {});
  const write = promisify((piece: Buffer, done: (error?: Error | null) => void) => parser.write(piece, done));
  const end = promisify((done: (error?: Error | null) => void) => parser.end(done));
  const taken = () => parsed.splice(0);
  try {
    for await (const piece of pieces) {
      await write(piece);
      yield taken();
    }
    await end();
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const message = `Not valid CSV from this line on: ${csvFault(error)}`;
    report({ line: Number(error.lines ?? 0), column: '', message });
  }
  yield taken();
}

/** Converts the records of each piece into lines for the staging table. */
async function* copyLines(
  pieces: AsyncIterable<Parsed[]>,
  result: { rows: number; areReferencesMissing: boolean },
  report: Report,
): AsyncGenerator<string> {
  let columns: string[] | undefined;
  let line = 1;
  for await (const parsed of pieces) {
    let chunk = '';
    for (const { record, nextLine } of parsed) {
      const start = line;
      line = nextLine;
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
    }
    yield chunk;
  }
  if (!columns) report({ line: 1, column: '', message: 'The file is empty.' });
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
