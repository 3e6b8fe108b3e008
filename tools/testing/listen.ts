import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

/** @returns the port of 127.0.0.1, by default a free one, at which the server listens from now on */
export async function listen(server: Server, port = 0): Promise<number> {
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}
