/** What the tests of the stand-in share: one of its own on a free port, the official SDK, and the switches. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Stripe from 'stripe';
import { type Sandbox, type SandboxOptions, startSandbox } from './index.ts';

export const KEYS = { secretKey: 'sk_test_sdk1234', publishableKey: 'pk_test_sdk1234' };
const PAGE = 'http://127.0.0.1:3000';

/** @param retries the SDK's own retries; none unless a test is about them */
export function sdk(port: number, retries = 0, key = KEYS.secretKey): Stripe {
  return new Stripe(key, {
    host: '127.0.0.1',
    port,
    protocol: 'http',
    maxNetworkRetries: retries,
    timeout: 2_000,
    telemetry: false,
  });
}

type Switches = (name: string, input?: object) => Promise<Record<string, unknown>>;

/** @returns `control('POST faults', {…})`, which throws unless it is answered with 200 */
export function switchesOf(origin: string): Switches {
  return async (name, input) => {
    const [method = 'GET', rest] = name.split(' ');
    const response = await fetch(`${origin}/_sandbox/${rest}`, {
      method,
      headers: { Authorization: `Bearer ${KEYS.secretKey}` },
      ...(input ? { body: JSON.stringify(input) } : {}),
    });
    if (!response.ok) throw new Error(`${name}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Record<string, unknown>;
  };
}

export type World = Sandbox & { stripe: Stripe; control: Switches; dataFile: string };

export async function startWorld(options: Partial<SandboxOptions> = {}): Promise<World> {
  const dataFile = join(mkdtempSync(join(tmpdir(), 'sandbox-')), 'sandbox.sqlite');
  const defaults = { host: '127.0.0.1', port: 0, dataFile, pageOrigins: [PAGE], ...KEYS };
  const sandbox = await startSandbox({ ...defaults, ...options });
  return { ...sandbox, dataFile, stripe: sdk(sandbox.port), control: switchesOf(sandbox.origin) };
}

/** Asks for a token as the number's frame does: with the publishable key, from the browser. */
export async function tokenize(
  { origin }: Sandbox,
  card: Record<string, string>,
): Promise<Record<string, unknown>> {
  const details = { exp_month: '12', exp_year: '2034', cvc: '123', ...card };
  const fields = Object.entries(details).map(([name, value]) => [`card[${name}]`, value] as [string, string]);
  const response = await fetch(`${origin}/v1/tokens`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${KEYS.publishableKey}` },
    body: new URLSearchParams(fields),
  });
  return (await response.json()) as Record<string, unknown>;
}

/** The parameters with which a card is saved without a charge. */
export function saving(customer: string, paymentMethod: string): Stripe.SetupIntentCreateParams {
  return {
    customer,
    payment_method: paymentMethod,
    confirm: true,
    usage: 'off_session',
    automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
  };
}

/** @returns what a call of the SDK was refused with; @throws Error where it was not */
export async function refusal(call: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError) return error;
    throw error;
  }
  throw new Error('It was not refused.');
}
