import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientPackage } from '../../src/client-package.ts';
import { packClient } from '../../src/server/build.ts';
import { checkout } from '../../tools/checkout.ts';
import { clientTypes, generatedFile } from '../../tools/client-types.ts';

const run = promisify(execFile);
const compiler = path.join(checkout, 'node_modules', 'typescript', 'bin', 'tsc');

const strict = ['--strict', '--target', 'es2022', '--types', '', '--lib', 'es2022,dom'];

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'client-'));
  const env = { ...process.env, npm_config_audit: 'false', npm_config_fund: 'false' };
  await packClient(checkout, folder);
  await writeFile(path.join(folder, 'package.json'), '{"private":true,"type":"module"}');
  await run('npm', ['install', '--offline', path.join(folder, clientPackage)], { cwd: folder, env });
}, 120_000);
afterAll(() => rm(folder, { recursive: true }));

test('the generated types match the OpenAPI document (`npm run client:generate`)', async () => {
  expect(await readFile(generatedFile, 'utf8')).toBe(clientTypes());
});

test('the packed client installs without dependencies and has types', async () => {
  await writeFile(
    path.join(folder, 'try.ts'),
    `import { ScheduleClient, ScheduleError, type AddCardResult } from '@scheduling-service/client';
const response = Response.json({ status: false, message: 'No.', code: 'expired_card', card: null });
const client = new ScheduleClient({ baseUrl: 'https://x.example', apiKey: 'k', apiSecret: 's', fetch: async () => response });
const result: AddCardResult = await client.addCard({ token: 'tok_visa', card: {} });
if (result.added) throw new Error(result.card.uuid);
console.log(JSON.stringify([result, new ScheduleError('x', { status: 404 }).status]));
`,
  );
  const { stdout } = await run(process.execPath, ['try.ts'], { cwd: folder });
  expect(JSON.parse(stdout)).toEqual([{ added: false, code: 'expired_card', message: 'No.' }, 404]);
  const readme = await readFile(path.join(import.meta.dirname, 'README.md'), 'utf8');
  const [, sample = ''] = /^```js\n(.*?)^```$/ms.exec(readme) ?? [];
  const declarations = 'declare const process: { env: Record<string, string | undefined> };\n';
  await writeFile(path.join(folder, 'readme.ts'), declarations + sample);
  await run(
    process.execPath,
    [compiler, '--noEmit', '--module', 'nodenext', ...strict, 'try.ts', 'readme.ts'],
    { cwd: folder },
  );
});

test('the packed client works with require, and has types in CommonJS', async () => {
  await writeFile(
    path.join(folder, 'common.cts'),
    `import { NotFoundError, ScheduleClient, type Payout } from '@scheduling-service/client';
const fetch = async () => Response.json({ payout: { amount_cents: 7 } });
const client = new ScheduleClient({ baseUrl: 'https://x.example', apiKey: 'k', apiSecret: 's', fetch });
const print = (payout: Payout) => console.log(payout.amount_cents, new NotFoundError('x').name);
void client.getPayout().then(print);
`,
  );
  const compile = [compiler, '--module', 'node16', ...strict, 'common.cts'];
  await run(process.execPath, compile, { cwd: folder });
  const { stdout } = await run(process.execPath, ['common.cjs'], { cwd: folder });
  expect(stdout).toBe('7 NotFoundError\n');
  const installed = path.join(folder, 'node_modules', '@scheduling-service', 'client');
  expect((await readdir(installed)).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
});

/** A server that fails once, and the client in a context with web APIs only. */
const webOnly = `import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import vm from 'node:vm';

const web = { fetch, AbortController, AbortSignal, crypto, performance, URL, Headers, Request, Response, setTimeout, clearTimeout };
const context = vm.createContext(web);
const modules = new Map();
const load = (file) => {
  if (!modules.has(file)) {
    const parse = (text) => new vm.SourceTextModule(text, { context, identifier: file });
    modules.set(file, readFile(file, 'utf8').then(parse));
  }
  return modules.get(file);
};
const link = (specifier, { identifier }) => {
  if (!specifier.startsWith('./')) throw new Error('Not a file of the package: ' + specifier);
  return load(path.resolve(path.dirname(identifier), specifier));
};
const client = await load(path.resolve('node_modules/@scheduling-service/client/dist/esm/index.js'));
await client.link(link);
await client.evaluate();
const { ScheduleClient, ScheduleError } = client.namespace;

const keys = [];
const server = createServer((request, response) => {
  keys.push(request.headers['idempotency-key']);
  response.statusCode = keys.length === 1 ? 503 : request.method === 'GET' ? 403 : 200;
  response.end(JSON.stringify({ status: true, error: { code: 403, message: 'No.' } }));
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const baseUrl = 'http://127.0.0.1:' + server.address().port;
const caller = new ScheduleClient({ baseUrl, apiKey: 'k', apiSecret: 's' });
await caller.removeCard(1, { signal: AbortSignal.timeout(30_000) });
const refusal = await caller.getPayout().catch((error) => error);
server.close();
console.log(JSON.stringify([keys.length, keys[0] === keys[1], refusal instanceof ScheduleError, refusal.status]));
`;

test('the client runs with web APIs only, without Node.js modules or globals', async () => {
  await writeFile(path.join(folder, 'web.mjs'), webOnly);
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const { stdout } = await run(process.execPath, [...flags, 'web.mjs'], { cwd: folder });
  expect(JSON.parse(stdout)).toEqual([3, true, true, 403]);
});
