import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import getPort from 'get-port';

/** @returns the port of 127.0.0.1, by default a free one, at which the server listens from now on */
export async function listen(server: Server, port = 0): Promise<number> {
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

/**
 * @returns a port for a server that starts later, which no other test with the same temporary folder gets until this process
 *   ends. An outgoing connection could take one above 32,767 until then
 */
export async function unusedPort(): Promise<number> {
  const port = await getPort({ port: Array.from({ length: 10 }, () => randomInt(20_000, 30_000)) });
  return reserve(port) ? port : unusedPort();
}

const reserved: string[] = [];
process.on('exit', () => {
  for (const folder of reserved) rmSync(folder, { recursive: true, force: true });
});

/** By a folder, which only one process can create. */
function reserve(port: number): boolean {
  const folder = path.join(tmpdir(), `scheduling-service-port-${port}`);
  try {
    mkdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  reserved.push(folder);
  return true;
}
