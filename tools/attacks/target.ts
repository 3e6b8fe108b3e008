/** The service under attack, and how attacks reach it. */
import { withDatabase } from '#e2e/support/fixtures.ts';
import { postSignInForm } from '#e2e/support/http.ts';
import { startOwnService } from '#e2e/support/own-service.ts';
import { installationSecrets } from '#src/installation-secrets.ts';
import { type Credentials, credentialHeaders, newCustomer } from '#tools/testing/factories.ts';

export type SentResponse = { status: number; headers: Headers; text: string };
export type Target = {
  url: string;
  /** Of a new customer, if the service was started here. */
  customer: () => Promise<Credentials>;
  /** What only a service that was started here offers. Clients' addresses can be chosen there. */
  own?: { dataDir: string; sandboxUrl: string; publishableKey: string; processes: number };
  stop: () => Promise<unknown>;
};
export type Attack = {
  title: string;
  /** Needs a service that was started here. */
  isOwnOnly?: true;
  /** @returns undefined if the service held, or else what happened */
  run: (target: Target) => Promise<string | undefined>;
};

/** @param url of a running service, with a test customer in `ATTACK_API_KEY` and `ATTACK_API_SECRET` */
export function runningTarget(url: string): Target {
  const { ATTACK_API_KEY: apiKey, ATTACK_API_SECRET: apiSecret } = process.env;
  if (!apiKey || !apiSecret)
    throw new Error('Set ATTACK_API_KEY and ATTACK_API_SECRET to those of a test customer.');
  return {
    url: new URL(url).origin,
    customer: async () => ({ apiKey, apiSecret }),
    stop: async () => undefined,
  };
}

export async function startTarget(): Promise<Target> {
  const { WEB_CONCURRENCY = '1' } = process.env;
  const { url, dataDir, sandboxPort, stop } = await startOwnService({ TRUST_PROXY: '1', WEB_CONCURRENCY });
  const { sandboxPublishableKey: publishableKey } = await installationSecrets(dataDir);
  const sandboxUrl = `http://127.0.0.1:${sandboxPort}`;
  return {
    url,
    customer: () => withDatabase(dataDir, newCustomer),
    own: { dataDir, sandboxUrl, publishableKey, processes: Number(WEB_CONCURRENCY) },
    stop,
  };
}

type Options = { method?: string; headers?: Record<string, string>; body?: BodyInit; as?: Credentials };

export async function send(
  { url }: Pick<Target, 'url'>,
  path: string,
  { method = 'GET', headers, body, as }: Options = {},
): Promise<SentResponse> {
  const credentials = as && credentialHeaders(as);
  const response = await fetch(url + path, {
    method,
    redirect: 'manual',
    headers: { ...credentials, ...headers },
    ...(body !== undefined && { body }),
    signal: AbortSignal.timeout(60_000),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Sends requests, `parallel` at a time. @returns how often each status came back */
export async function flood(
  count: number,
  parallel: number,
  sendOne: (index: number) => Promise<SentResponse>,
): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  let next = 0;
  const work = async () => {
    while (next < count) {
      next += 1;
      const { status } = await sendOne(next);
      counts.set(status, (counts.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  return counts;
}

export async function signIn(
  { url }: Target,
  credentials: Credentials,
  headers: Record<string, string> = {},
): Promise<SentResponse & { cookie: string }> {
  const { response, cookie } = await postSignInForm(url, credentials, {
    headers: { 'Sec-Fetch-Site': 'same-origin', Origin: url, ...headers },
  });
  return { status: response.status, headers: response.headers, text: await response.text(), cookie };
}

/** @returns what was found, unless it is as expected */
export function unless(isExpected: boolean, found: unknown): string | undefined {
  const shown = found instanceof Map ? Object.fromEntries(found) : found;
  return isExpected ? undefined : JSON.stringify(shown);
}

export const detail = '/schedule/v1/customers/detail';
export const cards = '/api/schedule/v1/payment/cards';
