import { Agent, request } from 'node:http';
import { type Database, openPool } from '#db/client.ts';
import { openEmbeddedDatabase } from '#db/embedded/index.ts';
import { type OwnService, startOwnService } from '#e2e/support/own-service.ts';

export type FuzzedService = Pick<OwnService, 'url'> & { db: Database; stop: () => Promise<void> };

const unlimited = '100000000';

/** Starts a service without rate limits, so that every request reaches its operation. */
export async function startFuzzedService(): Promise<FuzzedService> {
  const service = await startOwnService({
    LIMIT_REQUESTS_PER_MINUTE: unlimited,
    LIMIT_FAILED_AUTH_PER_KEY_AND_ADDRESS: unlimited,
    LIMIT_FAILED_AUTH_PER_ADDRESS: unlimited,
    LIMIT_DECLINES_PER_HOUR: unlimited,
    LIMIT_NEW_CARDS_PER_HOUR: unlimited,
  });
  const database = await openEmbeddedDatabase(service.dataDir);
  const connection = openPool(database.ownerUrl);
  const stop = async () => {
    await connection.close();
    await database.release();
    await service.stop();
  };
  return { url: service.url, db: connection.db, stop };
}

export type Sent = {
  method: string;
  /** Unchanged, where `fetch` would normalize it. */
  path: string;
  headers: Record<string, string>;
  body?: Buffer;
};
export type RawResponse = { status: number; headers: Record<string, string>; text: string };

const agent = new Agent({ keepAlive: true, maxSockets: 16 });

/** Sends a request unchanged, even if it is invalid. */
export function sendRaw(baseUrl: string, { method, path, headers, body }: Sent): Promise<RawResponse> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const length = body && { 'Content-Length': String(body.length) };
    const sent = request(
      { agent, hostname, port, method, path, headers: { ...headers, ...length } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          const pairs = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ status: response.statusCode ?? 0, headers: Object.fromEntries(pairs), text });
        });
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
}
