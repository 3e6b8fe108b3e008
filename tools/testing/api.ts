/** What the tests of the API's handlers share: a service on a database and a sandbox of its own, and customers in it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect } from 'vitest';
import { closeDatabase } from '#db/client.ts';
import { cities, customers, secrets } from '#db/schema/index.ts';
import type { Sandbox } from '#packages/stripe-sandbox/index.ts';
import { startSandbox } from '#packages/stripe-sandbox/index.ts';
import { type Operation, pathTo } from '#src/api/operation.ts';
import { handleApiRequest } from '#src/api/router.ts';
import { log } from '#src/log.ts';
import { newToken, tokenHash } from '#src/tokens.ts';
import { type TestDatabase, testDatabase } from './database.ts';
import { hiddenIn, writtenTexts } from './leak-scan.ts';

export const sandboxKeys = { secretKey: 'sk_test_handlers', publishableKey: 'pk_test_handlers' };
export const webhookSecret = 'whsec_handlers';

export type TestService = TestDatabase & { sandbox: Sandbox; control: SandboxControl };
export type TestCustomer = { id: number; apiKey: string; apiSecret: string; secretId: number };

/** Call once in a test file, before anything reads the settings. */
export async function testService(env: Record<string, string> = {}): Promise<TestService> {
  const database = await testDatabase();
  const folder = await mkdtemp(path.join(tmpdir(), 'handlers-'));
  const sandbox = await startSandbox({
    ...sandboxKeys,
    host: '127.0.0.1',
    port: 0,
    dataFile: path.join(folder, 'sandbox.sqlite'),
    pageOrigins: [],
  });
  Object.assign(process.env, {
    DATABASE_URL: database.url,
    SESSION_SECRET: 'a secret of the tests that is long enough',
    PAYMENTS: 'sandbox',
    STRIPE_SECRET_KEY: sandboxKeys.secretKey,
    STRIPE_PUBLISHABLE_KEY: sandboxKeys.publishableKey,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_API_BASE: sandbox.origin,
    LOG_FILE: path.join(folder, 'service.log'),
    ...env,
  });
  afterAll(async () => {
    for (const [place, text] of Object.entries(await writtenSoFar(database)))
      expect(hiddenIn(text), `what must not be in ${place}`).toEqual([]);
    await closeDatabase();
    await sandbox.close();
    await rm(folder, { recursive: true, force: true });
  });
  return { ...database, sandbox, control: sandboxControl(sandbox.origin) };
}

/** What the service has written until now. Nothing secret may be in it, whatever a test did. */
export async function writtenSoFar({ db }: TestDatabase): Promise<Record<string, string>> {
  await new Promise<void>((resolve, reject) => log().flush((error) => (error ? reject(error) : resolve())));
  return writtenTexts(db, process.env.LOG_FILE ?? '');
}

export type SandboxControl = (
  action: string,
  body?: object,
) => Promise<{ data: Record<string, unknown>[] } & Record<string, unknown>>;

/** The sandbox's switches: `control('POST faults', { operation, kind })`. */
export function sandboxControl(origin: string): SandboxControl {
  return async (action, body) => {
    const [method = 'GET', rest] = action.split(' ');
    const response = await fetch(`${origin}/_sandbox/${rest}`, {
      method,
      headers: { Authorization: `Bearer ${sandboxKeys.secretKey}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${action}: ${response.status} ${await response.text()}`);
    return response.json();
  };
}

let made = 0;

/** A customer of its own, with a key and a secret, in a city of its own. */
export async function newCustomer(
  { db }: TestDatabase,
  options: { status?: 'Active' | 'Inactive' | 'Suspended'; timezone?: string } = {},
): Promise<TestCustomer> {
  const name = `c${++made}-${process.pid}`;
  const cityId = await newCity(db, name, options.timezone ?? 'America/Los_Angeles');
  const apiKey = newToken('key', 'test');
  const apiSecret = newToken('secret', 'test');
  const [customer] = await db
    .insert(customers)
    .values({
      cityId,
      username: name,
      email: `${name}@example.com`,
      apiKey,
      firstName: 'Ada',
      lastName: 'Byron',
      name: `${name} Deliveries`,
      countryCode: '1',
      phone: '5550100',
      status: options.status ?? 'Active',
    })
    .returning();
  if (!customer) throw new Error('No customer was made.');
  const [secret] = await db
    .insert(secrets)
    .values({ customerId: customer.id, hash: tokenHash(apiSecret) })
    .returning();
  return { id: customer.id, apiKey, apiSecret, secretId: secret?.id ?? 0 };
}

async function newCity(db: TestDatabase['db'], slug: string, timezone: string): Promise<number> {
  const [city] = await db
    .insert(cities)
    .values({
      slug,
      name: 'Testville',
      countyName: 'Test County',
      timezone,
      basePriceCents: 899,
      deliveryPrices: '{"items":[{"mile":3,"amount":0},{"mile":10,"amount":4.5}]}',
      latitude: '37.5',
      longitude: '-122.1',
      polygonPoints: '[[37.4,-122.2],[37.6,-122.2],[37.6,-122],[37.4,-122.2]]',
      returnRideLimitOnMile: 12.5,
      isActive: true,
      isDischargeSingleRideActive: false,
      isFlatAppActive: false,
      isPlacesAppActive: true,
      isDeliveryAppActive: true,
    })
    .returning();
  return city?.id ?? 0;
}

type Target = Pick<Operation, 'path'> | { path: string };
type Call = { body?: unknown; headers?: Record<string, string | undefined>; params?: Record<string, string> };
export type Answered = { status: number; headers: Headers; text: string; json: Record<string, never> };

/** Calls an operation, or any path and method, as the host and Next do. Path parameters default to the sample's. */
export async function call(
  target: Target & { method: string; docs?: Operation['docs'] },
  customer: Pick<TestCustomer, 'apiKey' | 'apiSecret'> | null,
  { body, headers = {}, params = target.docs?.sample?.params ?? {} }: Call = {},
): Promise<Answered> {
  const all = {
    ...(customer && { 'X-AUTH-APIKEY': customer.apiKey, 'X-AUTH-APISECRET': customer.apiSecret }),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...headers,
  };
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const response = await handleApiRequest(
    new Request(`http://127.0.0.1${pathTo(target, { params })}`, {
      method: target.method,
      headers: given,
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    }),
  );
  const text = await response.text();
  expect(
    hiddenIn(`${JSON.stringify([...response.headers])}\n${text}`),
    'what an answer must not hold',
  ).toEqual([]);
  return { status: response.status, headers: response.headers, text, json: text ? JSON.parse(text) : {} };
}
