/** A service with its own database and payment sandbox, in the process of the test file. */
import path from 'node:path';
import { afterAll, expect } from 'vitest';
import { type SandboxControl, sandboxControl } from '#packages/stripe-sandbox/control-client.ts';
import { type Sandbox, startSandbox } from '#packages/stripe-sandbox/index.ts';
import { problemsOf } from '#src/api/openapi-responses.ts';
import { type Operation, pathTo } from '#src/api/operation.ts';
import { operations } from '#src/api/operations/index.ts';
import { handleApiRequest, type RequestHandler } from '#src/api/router.ts';
import { createServices, provideServices, type Services, services } from '#src/api/services.ts';
import { openSession } from '#src/api/session.ts';
import type { ProblemCode } from '#src/errors.ts';
import { readSettings } from '#src/settings.ts';
import { type TestDatabase, testDatabase } from './database.ts';
import { type Credentials, credentialHeaders } from './factories.ts';
import { dumpLogAndTables, findLeaks, withoutNextAction } from './leak-scan.ts';
import { temporaryFolder } from './processes.ts';
import { testSessionSecret } from './settings.ts';

export const sandboxKeys = { secretKey: 'sk_test_handlers', publishableKey: 'pk_test_handlers' };
export const webhookSecret = 'whsec_handlers';

export type TestService = TestDatabase & {
  sandbox: Sandbox;
  control: SandboxControl;
  /** The settings, for another process. */
  environment: Record<string, string>;
  /** Replaces the process's services, like a restart with other settings. */
  restart: (env?: Record<string, string>) => Promise<Services>;
};

/** Provides the services of a test file's process. */
export async function testService(env: Record<string, string> = {}): Promise<TestService> {
  const database = await testDatabase();
  const folder = await temporaryFolder('handlers');
  const sandbox = await startSandbox({
    ...sandboxKeys,
    host: '127.0.0.1',
    port: 0,
    dataFile: path.join(folder.path, 'sandbox.sqlite'),
    pageOrigins: [],
  });
  const environment = {
    DATABASE_URL: database.url,
    SESSION_SECRET: testSessionSecret,
    PAYMENTS: 'sandbox',
    STRIPE_SECRET_KEY: sandboxKeys.secretKey,
    STRIPE_PUBLISHABLE_KEY: sandboxKeys.publishableKey,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_API_BASE: sandbox.origin,
    LOG_FILE: path.join(folder.path, 'service.log'),
    ...env,
  };
  const start = (changes: Record<string, string> = {}) =>
    provideServices(createServices(readSettings({ ...environment, ...changes })));
  start();
  afterAll(async () => {
    for (const [name, text] of Object.entries(await writtenByService(database)))
      expect(findLeaks(text), `leaks in ${name}`).toEqual([]);
    await services().close();
    await sandbox.close();
    await folder.remove();
  });
  const restart = async (changes?: Record<string, string>) => {
    await services().close();
    return start(changes);
  };
  const control = sandboxControl(sandbox.origin, sandboxKeys.secretKey);
  return { ...database, sandbox, control, environment, restart };
}

/** @returns the log and the rows of each table as text */
export async function writtenByService({ owner }: TestDatabase): Promise<Record<string, string>> {
  const { log, settings } = services();
  await new Promise<void>((resolve, reject) => log.flush((error) => (error ? reject(error) : resolve())));
  return dumpLogAndTables(owner, settings.LOG_FILE ?? '');
}

type SignIn = Omit<Parameters<typeof openSession>[1], 'address'> & { address?: string };

/** Opens a browser session. @returns its `Cookie` header */
export async function signIn(input: SignIn): Promise<string> {
  const { name, value } = await openSession(services(), { address: '127.0.0.1', ...input });
  return `${name}=${value}`;
}

type Target = Pick<Operation, 'path'> | { path: string };
type Call = {
  body?: unknown;
  headers?: Record<string, string | undefined>;
  params?: Record<string, string>;
  handle?: RequestHandler;
};
export type TestResponse = { status: number; headers: Headers; text: string; json: Record<string, never> };

/** Calls an operation, or any path and method. The path's parameters and the query default to the sample's. */
export async function call(
  target: Target & { method: string; docs?: Operation['docs'] },
  customer: Credentials | null,
  { body, headers = {}, params, handle = handleApiRequest }: Call = {},
): Promise<TestResponse> {
  const all = {
    ...(customer && credentialHeaders(customer)),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...headers,
  };
  const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const response = await handle(
    new Request(`http://127.0.0.1${pathTo(target, { ...target.docs?.sample, ...(params && { params }) })}`, {
      method: target.method,
      headers: sent,
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    }),
  );
  const text = await response.text();
  const shown = `${JSON.stringify([...response.headers])}\n${withoutNextAction(text)}`;
  expect(findLeaks(shown), 'leaks in the response').toEqual([]);
  const json = text ? JSON.parse(text) : {};
  if (customer && json.error) expectDeclared(target, json.error.type);
  return { status: response.status, headers: response.headers, text, json };
}

/** An error of an operation is in its documentation. */
function expectDeclared(target: { path: string; method: string }, type: ProblemCode): void {
  const operation = operations.find(({ path, method }) => path === target.path && method === target.method);
  if (operation) expect(problemsOf(operation), `problems of ${operation.id}`).toContain(type);
}
