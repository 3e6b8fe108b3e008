import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { sandboxControl } from './control-client.ts';
import { KEYS, refusal, saving, sdk, startTestSandbox, tokenize } from './testing.ts';

let running: ChildProcess | undefined;
afterEach(() => running?.kill('SIGKILL'));

/** Runs the sandbox in a process of its own. @returns its port, once it listens */
async function start(dataFile: string): Promise<number> {
  const { secretKey, publishableKey } = KEYS;
  const keys = ['--secret-key', secretKey, '--publishable-key', publishableKey];
  const script = join(import.meta.dirname, 'main.ts');
  running = spawn(process.execPath, [script, '--data', dataFile, ...keys], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(running.stdout ?? running, 'data');
  return Number(/:(\d+)\s/.exec(String(line))?.[1]);
}

async function kill(): Promise<void> {
  const exited = running && once(running, 'exit');
  running?.kill('SIGKILL');
  await exited;
}

test('a killed process loses no confirmed operation, and a restart replays stored responses', async () => {
  const dataFile = join(mkdtempSync(join(tmpdir(), 'sandbox-')), 'sandbox.sqlite');
  const first = sdk(await start(dataFile));
  for (const name of readdirSync(dirname(dataFile)))
    expect([name, statSync(join(dirname(dataFile), name)).mode & 0o077]).toEqual([name, 0]);
  const customer = await first.customers.create({}, { idempotencyKey: 'cus' });
  const method = await first.paymentMethods.create({ type: 'card', card: { token: 'tok_visa' } });
  const intent = await first.setupIntents.create(saving(customer.id, method.id), { idempotencyKey: 'si' });
  await kill();
  const second = sdk(await start(dataFile));
  const again = await second.setupIntents.create(saving(customer.id, method.id), { idempotencyKey: 'si' });
  expect(again.id).toBe(intent.id);
  expect(again.lastResponse.headers['idempotent-replayed']).toBe('true');
  expect((await second.customers.listPaymentMethods(customer.id)).data).toHaveLength(1);
  const other = await second.paymentMethods.create({ type: 'card', card: { token: 'tok_visa' } });
  expect(other.card?.fingerprint).toBe(method.card?.fingerprint);
});

test('an operation committed before a kill is not repeated for the same idempotency key', async () => {
  const dataFile = join(mkdtempSync(join(tmpdir(), 'sandbox-')), 'sandbox.sqlite');
  const port = await start(dataFile);
  const control = sandboxControl(`http://127.0.0.1:${port}`, KEYS.secretKey);
  await control('POST faults', { operation: 'customers.create', kind: 'drop_after_commit', times: 9 });
  await expect(sdk(port).customers.create({}, { idempotencyKey: 'cus' })).rejects.toThrow();
  await kill();
  const next = await start(dataFile);
  const after = sandboxControl(`http://127.0.0.1:${next}`, KEYS.secretKey);
  await after('DELETE faults');
  const customer = await sdk(next).customers.create({}, { idempotencyKey: 'cus' });
  expect((await after('GET customers')).data).toMatchObject([{ id: customer.id }]);
});

test('card numbers and CVCs are not in the data files', async () => {
  const sandbox = await startTestSandbox();
  const numbers = ['4242424242424242', '5555555555554444', '4000000000000002', '4539578763621486'];
  for (const number of numbers) await tokenize(sandbox, { number, cvc: '987' });
  await fetch(`${sandbox.origin}/v1/payment_methods`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${KEYS.secretKey}`, 'Idempotency-Key': 'raw' },
    body: new URLSearchParams({ type: 'card', 'card[number]': '4242424242424242', 'card[cvc]': '987' }),
  });
  await fetch(`${sandbox.origin}/v1/nowhere?card[number]=4242424242424242`);
  for (const misplaced of ['4242424242424242', '4242 4242 4242 4242', '4242-4242-4242-4242']) {
    await sandbox.stripe.customers.create({ name: misplaced, metadata: { note: `card ${misplaced}` } });
    await refusal(sandbox.stripe.paymentMethods.create({ type: 'card', card: { token: misplaced } }));
  }
  const folder = join(sandbox.dataFile, '..');
  const contents = () => readdirSync(folder).map((name) => readFileSync(join(folder, name)));
  const open = contents();
  await sandbox.close();
  const stored = Buffer.concat([...open, ...contents()]);
  expect(stored.includes('redacted')).toBe(true);
  for (const secret of [...numbers, '4242 4242', '4242-4242', '4242+4242', '4242%204242', '=987', '"987"'])
    expect(stored.includes(secret)).toBe(false);
});

test('startSandbox refuses live keys', async () => {
  await expect(startTestSandbox({ secretKey: 'sk_live_1234' })).rejects.toThrow('only test keys');
  await expect(startTestSandbox({ publishableKey: 'pk_live_1234' })).rejects.toThrow('only test keys');
});
