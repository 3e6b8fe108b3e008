import path from 'node:path';
import { test as base, type ConsoleMessage, expect, type Page } from '@playwright/test';
import { Temporal } from 'temporal-polyfill';
import { type Database, openPool } from '#db/client.ts';
import { openEmbeddedDatabase } from '#db/embedded/index.ts';
import { type AddCardRequest, type CardObject, ScheduleClient } from '#packages/client/index.ts';
import { readRequestLogs } from '#src/cli/commands/request.ts';
import {
  type Credentials,
  credentialHeaders,
  newCity,
  newCustomer,
  type TestCustomer,
} from '#tools/testing/factories.ts';
import { monthZoneAt } from '#tools/testing/month-zone.ts';
import { type OwnService, startOwnService } from './own-service.ts';

export { expect } from '@playwright/test';
export {
  credentialHeaders,
  insertEntries,
  newCards,
  newCity,
  newCustomer,
  newEntry,
  setCardExpiry,
  type TestCustomer,
  toothedRing,
} from '#tools/testing/factories.ts';

export type ReceivedResponse = {
  status: number;
  headers: Record<string, string>;
  text: string;
  json: unknown;
};
type ApiOptions = {
  /** The credentials to send; none by default. */
  as?: Credentials;
  headers?: Record<string, string>;
  /** An object is sent as JSON, and a string unchanged. */
  body?: object | string;
};
/** Creates a client with a customer's credentials. */
export type ClientOf = (as: Credentials) => ScheduleClient;
export type CallApi = (method: string, path: string, options?: ApiOptions) => Promise<ReceivedResponse>;

type Fixtures = {
  /** A new customer in a new city. */
  customer: TestCustomer;
  clientOf: ClientOf;
  /** For requests that the client can't send, and for headers and statuses. */
  api: CallApi;
  /** Console errors that don't fail the test, such as `/status of 403/`. */
  expectedFaults: RegExp[];
};

/** Runs a function with the database of the service that uses this data folder. */
export async function withDatabase<T>(dataDir: string, run: (db: Database) => Promise<T>): Promise<T> {
  const database = await openEmbeddedDatabase(dataDir);
  // The owner, because tests change what neither the service nor the operator may.
  const connection = openPool(database.ownerUrl, { connectionsMax: 4 });
  try {
    return await run(connection.db);
  } finally {
    await connection.close();
    await database.release();
  }
}

/** A test with the service's database and a new customer. It fails if a page logs an error to the console. */
export const test = base.extend<Fixtures, { db: Database }>({
  db: [
    ({ browserName: _browserName }, use) => withDatabase(process.env.E2E_DATA_DIR ?? '', use),
    { scope: 'worker' },
  ],

  customer: async ({ db }, use) => use(await newCustomer(db)),

  clientOf: async ({ baseURL }, use) =>
    use(({ apiKey, apiSecret }) => new ScheduleClient({ baseUrl: baseURL ?? '', apiKey, apiSecret })),

  api: async ({ request }, use) => {
    await use(async (method, path, { as, headers = {}, body } = {}) => {
      const response = await request.fetch(path, {
        method,
        maxRedirects: 0,
        headers: {
          ...(as && credentialHeaders(as)),
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { data: typeof body === 'string' ? Buffer.from(body) : body }),
      });
      const text = await response.text();
      const isJson = response.headers()['content-type']?.includes('json');
      return {
        status: response.status(),
        headers: response.headers(),
        text,
        json: isJson ? JSON.parse(text || 'null') : null,
      };
    });
  },

  expectedFaults: [[], { option: true }],

  // Not an automatic fixture, because tests of the API alone need no browser.
  context: async ({ context, expectedFaults }, use) => {
    const faults: string[] = [];
    const watch = (page: Page) => {
      page.on('pageerror', (error) => faults.push(`uncaught: ${error.message}`));
      page.on('console', (message: ConsoleMessage) => {
        if (message.type() === 'error') faults.push(`${message.text()} (${message.location().url})`);
      });
    };
    context.on('page', watch);
    await use(context);
    const unexpected = faults.filter((fault) => !expectedFaults.some((pattern) => pattern.test(fault)));
    expect(unexpected, 'errors in the browser console').toEqual([]);
  },
});

/** @throws Error if the card is not added */
export async function addTestCard(
  client: ScheduleClient,
  token = 'tok_visa',
  card: AddCardRequest['card'] = {},
): Promise<CardObject> {
  const result = await client.addCard({ token, card });
  if (!result.added) throw new Error(result.message);
  return result.card;
}

/** A time zone in which no month ends while the tests run. */
export const monthZone = monthZoneAt(Temporal.Now.instant());

/** A test of what a month shows. The month of its customer, in `monthZone`, does not end meanwhile. */
export const monthTest = test.extend({
  customer: async ({ db }, use) =>
    use(await newCustomer(db, { city: await newCity(db, { timezone: monthZone }) })),
});

/** A test of a service with its own `settings`, one for each worker. Without `DATA_DIR`, it has its own database. */
export const serviceTest = test.extend<object, { settings: Record<string, string>; service: OwnService }>({
  settings: [{}, { scope: 'worker', option: true }],
  service: [
    async ({ settings }, use) => {
      const service = await startOwnService(settings);
      await use(service);
      await service.stop();
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  db: [({ service }, use) => withDatabase(service.dataDir, use), { scope: 'worker' }],
  baseURL: async ({ service }, use) => use(service.url),
});

/** @returns the log lines of a request, once the service has written them */
export async function requestLogLines(requestId = ''): Promise<Record<string, unknown>[]> {
  const file = path.join(process.env.E2E_DATA_DIR ?? '', 'service.log');
  let lines: Record<string, unknown>[] = [];
  const read = async () => {
    lines = await readRequestLogs(file, requestId);
    return lines.some((line) => 'status' in line);
  };
  await expect.poll(read, { intervals: [50] }).toBe(true);
  return lines;
}
