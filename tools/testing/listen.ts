import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

/** @returns the free port of 127.0.0.1 at which the server listens from now on */
export async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}
