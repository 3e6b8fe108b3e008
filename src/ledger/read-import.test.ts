import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import type { RowProblem } from './import-row.ts';
import { type ReadProgress, readImport } from './read-import.ts';

const at = '2026-11-20T14:30:00Z';

async function readText(text: string) {
  const [problems, progress, staged]: [RowProblem[], ReadProgress[], string[]] = [[], [], []];
  const stage = async (lines: AsyncIterable<string>) => {
    for await (const line of lines) staged.push(line);
  };
  const source = Readable.from([Buffer.from(text)]);
  const result = await readImport(
    source,
    stage,
    (problem) => problems.push(problem),
    (one) => progress.push(one),
  );
  return { result, problems, progress, staged: staged.join('') };
}

const problemsOf = async (text: string) =>
  (await readText(text)).problems.map(({ line, column, message }) => `${line} ${column}: ${message}`);

it('charge import: reads a file with a byte order mark, spaces, capitals, and CRLF, and skips empty lines', async () => {
  const text = `\ufeff" Username ",AT,Amount,Reference\r\n\r\nacme,${at},1,INV-1\r\n\r\nacme,${at},2,\r\nacme,${at},3,INV-3\r\n`;
  const { result, problems, progress, staged } = await readText(text);
  const bytes = Buffer.from(text);
  expect(result).toEqual({
    rows: 3,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    areReferencesMissing: true,
  });
  expect(problems).toEqual([]);
  expect(progress).toEqual([{ bytes: bytes.length, rows: 0 }]);
  const instant = Date.parse(at);
  expect(staged.split('\n')).toEqual([
    `3\tacme\tdelivery\t100\t\\N\t${instant}\tDelivery\tINV-1`,
    `5\tacme\tdelivery\t200\t\\N\t${instant}\tDelivery\t\\N`,
    `6\tacme\tdelivery\t300\t\\N\t${instant}\tDelivery\tINV-3`,
    '',
  ]);
});

it('charge import: reads lines that end in different ways', async () => {
  const text = `username,at,amount,description\nacme,${at},1,Credit note\r\nacme,${at},2,"Bank\ntransfer"\racme,${at},3,\n`;
  const { problems, staged } = await readText(text);
  expect(problems).toEqual([]);
  const instant = Date.parse(at);
  expect(staged.split('\n')).toEqual([
    `2\tacme\tdelivery\t100\t\\N\t${instant}\tCredit note\t\\N`,
    `3\tacme\tdelivery\t200\t\\N\t${instant}\tBank\\ntransfer\t\\N`,
    `5\tacme\tdelivery\t300\t\\N\t${instant}\tDelivery\t\\N`,
    '',
  ]);
});

it('charge import: says whether every row has a reference', async () => {
  const { result } = await readText(`username,at,amount,reference\nacme,${at},1,INV-1\n`);
  expect(result).toMatchObject({ rows: 1, areReferencesMissing: false });
});

const notCsv = 'Not valid CSV from this line on:';
const head = 'username,at,amount\n';
it.each([
  ['an empty file', '', '1 : The file is empty.'],
  ['empty lines', '\n\n', '1 : The file is empty.'],
  [
    'a first line without amounts',
    'username,at\n',
    '1 : The first line must have an amount column, or a miles column to price deliveries from the city’s price table.',
  ],
  ['too many cells', `${head}a,${at},1,\n`, '2 amount: This line has 4 cells, but the first line has 3.'],
  ['too few cells', `${head}a,${at}\n`, '2 at: This line has 2 cells, but the first line has 3.'],
  ['one cell', `${head}a\n`, '2 username: This line has 1 cells, but the first line has 3.'],
  ['an empty first cell', `${head},${at},1\n`, '2 username: Must not be empty.'],
  ['an open quotation mark', `${head}a,${at},"1\n`, `2 : ${notCsv} a quotation mark is not closed.`],
  [
    'a quotation mark in a cell',
    `${head}a,${at},1"\n`,
    `2 : ${notCsv} a quotation mark is in the wrong place.`,
  ],
  [
    'an endless record',
    `${head}a,"${'x'.repeat(1_000_001)}`,
    `2 : ${notCsv} a record is too long. Check for a missing closing quotation mark.`,
  ],
])('charge import: refuses %s and says where', async (_, text, problem) => {
  expect(await problemsOf(text)).toEqual([problem]);
});

it('charge import: fails when the file cannot be read any more', async () => {
  const failure = new Error('EIO: i/o error, read');
  async function* pieces() {
    yield Buffer.from(`${head}acme,${at},1\n`);
    throw failure;
  }
  const stage = async (lines: AsyncIterable<string>) => {
    for await (const _ of lines);
  };
  const report = () => expect.unreachable();
  await expect(readImport(Readable.from(pieces()), stage, report, () => {})).rejects.toBe(failure);
});

it('charge import: stages the rows of each piece of the file together, also those that two pieces share', async () => {
  const pieces: string[] = [];
  const stage = async (lines: AsyncIterable<string>) => {
    for await (const piece of lines) pieces.push(piece);
  };
  const line = `acme,${at},1,${'x'.repeat(400)}\n`;
  const file = Buffer.from(`username,at,amount,description\n${line.repeat(500)}`);
  const half = file.length / 2;
  const source = Readable.from([file.subarray(0, half), file.subarray(half)]);
  const { rows } = await readImport(
    source,
    stage,
    () => expect.unreachable(),
    () => {},
  );
  expect(rows).toBe(500);
  expect(pieces.filter(Boolean).map((piece) => piece.split('\n').length - 1)).toEqual([249, 250, 1]);
  expect(pieces.join('').match(/^\d+\tacme\tdelivery\t100\t.*$/gm)).toHaveLength(500);
  expect(pieces.join('').split('\n')).toHaveLength(501);
});
