import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { clientTypes, generatedFile } from '../tasks/client-types.ts';

const run = promisify(execFile);

test('the types are those of the document: `npm run client:generate` makes them', async () => {
  expect(await readFile(generatedFile, 'utf8')).toBe(clientTypes());
});

test('packed, installed elsewhere and run: no dependency, types along', { timeout: 120_000 }, async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'client-'));
  const env = { ...process.env, npm_config_audit: 'false', npm_config_fund: 'false' };
  // Packed from a copy, so that nothing is written into the checkout; its compiler is the checkout's.
  const copy = path.join(folder, 'client');
  await cp(import.meta.dirname, copy, { recursive: true, filter: (file) => !/dist$|\.test\.ts$/.test(file) });
  const programs = path.join(import.meta.dirname, '..', 'node_modules', '.bin');
  const PATH = `${programs}${path.delimiter}${process.env.PATH}`;
  await run('npm', ['pack', '--pack-destination', folder], { cwd: copy, env: { ...env, PATH } });
  await writeFile(path.join(folder, 'package.json'), '{"private":true,"type":"module"}');
  const packed = path.join(folder, 'scheduling-service-client-1.0.0.tgz');
  await run('npm', ['install', '--offline', packed], { cwd: folder, env });
  await writeFile(
    path.join(folder, 'try.ts'),
    `import { ScheduleClient, ScheduleError, type AddCardResult } from 'scheduling-service-client';
const reply = Response.json({ status: false, message: 'No.', code: 'expired_card', card: null });
const client = new ScheduleClient({ baseUrl: 'http://x', apiKey: 'k', apiSecret: 's', fetch: async () => reply });
const result: AddCardResult = await client.addCard({ token: 'tok_visa', card: {} });
if (result.added) throw new Error(result.card.uuid);
console.log(JSON.stringify([result, new ScheduleError('x', { status: 404 }).status]));
`,
  );
  const { stdout } = await run(process.execPath, ['try.ts'], { cwd: folder });
  expect(JSON.parse(stdout)).toEqual([{ added: false, code: 'expired_card', message: 'No.' }, 404]);
  const compiler = path.join(programs, '..', 'typescript', 'bin', 'tsc');
  const strict = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', ''];
  // Fails, with what the compiler says, when the package's types do not fit their use.
  await run(process.execPath, [compiler, ...strict, '--lib', 'es2022,dom', 'try.ts'], { cwd: folder });
  await rm(folder, { recursive: true });
});
