import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import getPort from 'get-port';

/** @returns the port of 127.0.0.1, by default a free one, at which the server listens from now on */
export async function listen(server: Server, port = 0): Promise<number> {
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

/** @returns a port for a server that starts later. An outgoing connection could take one above 32,767 until then */
export function unusedPort(): Promise<number> {
  return getPort({ port: Array.from({ length: 10 }, () => randomInt(20_000, 30_000)) });
}
