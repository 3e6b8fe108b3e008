import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { finished } from 'node:stream/promises';
import { afterAll, expect, test, vi } from 'vitest';
import { operatorOn } from '../testing.ts';
import { readRequestLog, readRequestLogs } from './request.ts';

const folder = await mkdtemp(path.join(tmpdir(), 'request-log-'));
afterAll(() => rm(folder, { recursive: true }));

const line = (requestId: string, rest: object = {}) =>
  `${JSON.stringify({ level: 'info', time: '2026-11-20T23:45:00.000Z', requestId, operation: 'getCustomer', method: 'GET', status: 200, elapsedMs: 1.2, customerId: 7, ...rest, msg: 'request' })}\n`;

test('request show: returns the log lines of one request, in order', async () => {
  const file = path.join(folder, 'small.log');
  const cut = '{"level":"info","requestId":"order-1234","opera';
  const other = line('order-12345') + line('other-id', { provider: [{ requestId: 'order-1234' }] });
  await writeFile(file, line('order-1234') + other + line('order-1234', { status: 403 }) + cut);
  const lines = await readRequestLog(file, 'order-1234');
  expect(lines.map(({ status }) => status)).toEqual([200, 403]);
  expect(await readRequestLog(file, 'never-was')).toEqual([]);
});

test('request show: returns all lines of a request ID that a client sends with every request', async () => {
  const file = path.join(folder, 'many.log');
  await writeFile(file, '{"requestId":"client-1"}\n'.repeat(200_000));
  expect(await readRequestLogs(file, 'client-1')).toHaveLength(200_000);
});

test('request show: reads the log that LOG_FILE_FILE names', async () => {
  const [log, setting] = [path.join(folder, 'named.log'), path.join(folder, 'setting')];
  await writeFile(log, line('order-1234'));
  await writeFile(setting, `${log}\n`);
  const operator = operatorOn({ operatorUrl: '' }, { LOG_FILE_FILE: setting });
  const { code, document } = await operator.json('request show order-1234');
  expect([code, document]).toEqual([0, { lines: [expect.objectContaining({ requestId: 'order-1234' })] }]);
});

/** About five read buffers. */
const blocks = process.env.FULL ? 1000 : 100;

test('request show: finds a line anywhere in a large log without parsing the others', async () => {
  const file = path.join(folder, 'large.log');
  const out = createWriteStream(file);
  for (let block = 0; block < blocks; block += 1) {
    const lines = Array.from({ length: 1000 }, (_, index) => line(`id-${block * 1000 + index}-end`));
    if (!out.write(lines.join(''))) await new Promise<void>((resolve) => out.once('drain', () => resolve()));
  }
  await finished(out.end());
  const parse = vi.spyOn(JSON, 'parse');
  for (const index of [0, blocks * 512 + 345, blocks * 1000 - 1]) {
    const id = `id-${index}-end`;
    expect(await readRequestLog(file, id)).toMatchObject([{ requestId: id, customerId: 7 }]);
  }
  expect(parse).toHaveBeenCalledTimes(3);
});
