import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createLogger } from './log.ts';

test('log: writes only allowed fields and no values from database errors', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'log-'));
  const LOG_FILE = path.join(folder, 'service.log');
  const refused = Object.assign(new Error('invalid input syntax for type uuid: "a secret"'), {
    code: '22P02',
  });
  const failed = new Error('Failed query: select … params: a secret', { cause: refused });
  const line = {
    requestId: 'one',
    status: 500,
    error: failed,
    token: 'a secret',
    headers: { cookie: 'a secret' },
  };
  createLogger({ LOG_LEVEL: 'info', LOG_FILE }).error(line, 'request');
  const written = () => readFile(LOG_FILE, 'utf8');
  await expect.poll(written).toContain('\n');
  const text = await written();
  expect(text).not.toContain('a secret');
  expect(JSON.parse(text)).toMatchObject({
    level: 'error',
    msg: 'request',
    requestId: 'one',
    status: 500,
    error: { message: 'Failed query', cause: { code: '22P02', message: 'PostgreSQL refused: 22P02' } },
  });
  expect(line.token).toBe('a secret');
  await rm(folder, { recursive: true });
});
