/** What starts in a line, from 1. A fault is the last one: why the text is not CSV from that line on. */
export type CsvRecord = { line: number; cells: string[] } | { line: number; fault: string };

/** Of one record. */
const charactersMax = 1_000_000;

/**
 * Reads CSV (RFC 4180). All lines end as the first one does.
 * Decision: docs/decisions/0022-own-code-beside-libraries.md.
 * @param pieces of a file in UTF-8, or UTF-16 with a byte order mark, as spreadsheets write it
 * @returns the records, empty lines included, in one list for each piece
 */
export async function* readCsv(pieces: AsyncIterable<Buffer>): AsyncGenerator<CsvRecord[]> {
  const reader = new CsvReader();
  let decoder: TextDecoder | undefined;
  for await (const piece of pieces) {
    decoder ??= new TextDecoder(piece[0] === 0xff && piece[1] === 0xfe ? 'utf-16le' : 'utf-8');
    const records = [...reader.read(decoder.decode(piece, { stream: true }), false)];
    yield records;
    if (records.some((record) => 'fault' in record)) return;
  }
  yield [...reader.read(decoder?.decode() ?? '', true)];
}

class CsvReader {
  /** The start of a record that goes on in the next piece. */
  #rest = '';
  #line = 1;
  #newline: string | undefined;

  *read(piece: string, isLast: boolean): Generator<CsvRecord> {
    const text = this.#rest + piece;
    this.#rest = text;
    // The other half of the line's end may follow.
    if (!isLast && text.endsWith('\r')) return;
    this.#newline ??= /\r\n|\n|\r/.exec(text)?.[0];
    const newline = this.#newline ?? '\n';
    const cell = cellBefore(newline);
    let start = 0;
    for (let quote = -1; start < text.length; ) {
      if (quote < start) quote = indexOrEnd(text, '"', start);
      const lineEnd = indexOrEnd(text, newline, start);
      const record =
        quote < lineEnd
          ? readQuoted(text, start, cell)
          : { cells: text.slice(start, lineEnd).split(','), end: lineEnd, lines: 1 };
      if (record === 'misplaced') return yield this.#fault('a quotation mark is in the wrong place.');
      if (!isLast && (record === 'open' || record.end === text.length)) break;
      if (record === 'open') return yield this.#fault('a quotation mark is not closed.');
      yield { line: this.#line, cells: record.cells };
      this.#line += record.lines;
      start = record.end + newline.length;
    }
    this.#rest = text.slice(start);
    if (this.#rest.length > charactersMax) {
      yield this.#fault('a record is too long. Check for a missing closing quotation mark.');
    }
  }

  #fault(fault: string): CsvRecord {
    return { line: this.#line, fault };
  }
}

/** Matches a cell and what ends it: nothing, if the text ends within quotation marks. */
function cellBefore(newline: string): RegExp {
  const end = `(,|${newline}|$)`;
  return new RegExp(`"([^"]*(?:""[^"]*)*)(?:"${end}|$)|((?:(?!${newline})[^",])*)${end}`, 'y');
}

type Quoted = { cells: string[]; end: number; lines: number };

/** Reads a record that has quotation marks. */
function readQuoted(text: string, start: number, cell: RegExp): Quoted | 'open' | 'misplaced' {
  const cells: string[] = [];
  cell.lastIndex = start;
  for (;;) {
    const match = cell.exec(text);
    if (!match) return 'misplaced';
    const [, quoted, afterQuoted, plain = '', afterPlain] = match;
    const separator = quoted === undefined ? afterPlain : afterQuoted;
    if (separator === undefined) return 'open';
    cells.push(quoted?.replaceAll('""', '"') ?? plain);
    if (separator === ',') continue;
    const end = cell.lastIndex - separator.length;
    return { cells, end, lines: 1 + (text.slice(start, end).match(/\r\n|\n|\r/g)?.length ?? 0) };
  }
}

function indexOrEnd(text: string, part: string, start: number): number {
  const index = text.indexOf(part, start);
  return index === -1 ? text.length : index;
}
