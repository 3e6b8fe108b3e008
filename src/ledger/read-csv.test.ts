import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { type CsvRecord, readCsv } from './read-csv.ts';

/** Reads a file in pieces of each size, which must make no difference. */
async function read(file: string | Buffer) {
  const bytes = Buffer.from(file);
  const results = await Promise.all(
    [1, 3, bytes.length + 1].map(async (size) => {
      const count = Math.ceil(bytes.length / size);
      const pieces = Array.from({ length: count }, (_, i) => bytes.subarray(i * size, (i + 1) * size));
      const records: CsvRecord[] = [];
      for await (const some of readCsv(Readable.from(pieces))) records.push(...some);
      return records;
    }),
  );
  expect(results[1]).toEqual(results[2]);
  // A mark of UTF-16 has two bytes.
  if (bytes[0] !== 0xff) expect(results[0]).toEqual(results[2]);
  return results[2];
}

it.each(['\n', '\r\n', '\r'])('csv: reads lines that end with %j, the last one also without', async (end) => {
  const records = [
    { line: 1, cells: ['a', 'b'] },
    { line: 2, cells: [''] },
    { line: 3, cells: ['', 'é'] },
  ];
  expect(await read(['a,b', '', ',é'].join(end))).toEqual(records);
  expect(await read(['a,b', '', ',é', ''].join(end))).toEqual(records);
});

it('csv: reads quotation marks, commas, and lines within quotation marks', async () => {
  expect(await read('a,"b ""c"", d"\r\n"","e\r\nf\ng"\r\nh,"i"')).toEqual([
    { line: 1, cells: ['a', 'b "c", d'] },
    { line: 2, cells: ['', 'e\r\nf\ng'] },
    { line: 5, cells: ['h', 'i'] },
  ]);
});

it('csv: keeps other line ends than that of the first line', async () => {
  expect(await read('a\nb\rc\nd\r\n')).toEqual([
    { line: 1, cells: ['a'] },
    { line: 2, cells: ['b\rc'] },
    { line: 3, cells: ['d\r'] },
  ]);
});

it.each(['utf8', 'utf16le'] as const)('csv: leaves out the byte order mark of %s', async (encoding) => {
  expect(await read(Buffer.from('\ufeffé,"b"\nc,d', encoding))).toEqual([
    { line: 1, cells: ['é', 'b'] },
    { line: 2, cells: ['c', 'd'] },
  ]);
});

it.each([
  ['a"', 'a quotation mark is in the wrong place.'],
  ['"a"b', 'a quotation mark is in the wrong place.'],
  ['"a\nb', 'a quotation mark is not closed.'],
  ['"a""', 'a quotation mark is not closed.'],
])('csv: says where %j is at fault, after the records before it', async (text, fault) => {
  expect(await read(`"x\ny"\n${text}`)).toEqual([
    { line: 1, cells: ['x\ny'] },
    { line: 3, fault },
  ]);
});
