import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connect, type Database } from '#db/client.ts';
import { openEmbeddedDatabase } from '#db/embedded/index.ts';
import { startCommand } from '#e2e/support/start-command.ts';

export type FuzzedService = { url: string; db: Database; stop: () => Promise<void> };

const checkout = path.join(import.meta.dirname, '..', '..', '..');
const plenty = '100000000';

/** A service of its own, whose budgets do not end, so that more than the first requests are judged by the operations. */
export async function startFuzzedService(): Promise<FuzzedService> {
  const [port, sandboxPort] = [await freePort(), await freePort()];
  const folder = await mkdtemp(path.join(tmpdir(), 'scheduling-service-fuzz-'));
  const dataDir = path.join(folder, 'data');
  const server = spawn(process.execPath, startCommand, {
    cwd: checkout,
    stdio: 'ignore',
    env: {
      ...process.env,
      PORT: String(port),
      SANDBOX_PORT: String(sandboxPort),
      DATA_DIR: dataDir,
      LIMIT_REQUESTS_PER_MINUTE: plenty,
      LIMIT_FAILED_AUTH_PER_KEY_AND_ADDRESS: plenty,
      LIMIT_FAILED_AUTH_PER_ADDRESS: plenty,
      LIMIT_DECLINES_PER_HOUR: plenty,
    },
  });
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  const url = `http://127.0.0.1:${port}`;
  while (server.exitCode === null && !(await isReady(url))) await pause(100);
  if (server.exitCode !== null) throw new Error(`The service did not start: ${server.exitCode}`);
  const database = await openEmbeddedDatabase(dataDir);
  const connection = connect(database.appUrl);
  const stop = async () => {
    await connection.close();
    await database.release();
    server.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  return { url, db: connection.db, stop };
}

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/api/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function freePort(): Promise<number> {
  const server = createServer();
  return await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(address && typeof address === 'object' ? address.port : 0));
    });
  });
}
