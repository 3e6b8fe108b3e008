/** What the sandbox's tests share: a sandbox on a free port, the official SDK, and the control API. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Stripe from 'stripe';
import { type SandboxControl, sandboxControl } from './control-client.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from './index.ts';

export const KEYS = { secretKey: 'sk_test_sdk1234', publishableKey: 'pk_test_sdk1234' };
const PAGE_ORIGIN = 'http://127.0.0.1:3000';

/** @param retries the SDK's own retries */
export function sdk(port: number, retries = 0, key = KEYS.secretKey): Stripe {
  return new Stripe(key, {
    host: '127.0.0.1',
    port,
    protocol: 'http',
    maxNetworkRetries: retries,
    timeout: 30_000,
    telemetry: false,
  });
}

export type TestSandbox = Sandbox & { stripe: Stripe; control: SandboxControl; dataFile: string };

export async function startTestSandbox(options: Partial<SandboxOptions> = {}): Promise<TestSandbox> {
  const dataFile = join(mkdtempSync(join(tmpdir(), 'sandbox-')), 'sandbox.sqlite');
  const defaults = { host: '127.0.0.1', port: 0, dataFile, pageOrigins: [PAGE_ORIGIN], ...KEYS };
  const sandbox = await startSandbox({ ...defaults, ...options });
  const control = sandboxControl(sandbox.origin, KEYS.secretKey);
  return { ...sandbox, dataFile, stripe: sdk(sandbox.port), control };
}

/** Creates a token as the card number's frame does, with the publishable key. */
export async function tokenize(
  { origin }: Sandbox,
  card: Record<string, string>,
): Promise<Record<string, unknown>> {
  const details = { exp_month: '12', exp_year: '2064', cvc: '123', ...card };
  const fields = Object.entries(details).map(([name, value]) => [`card[${name}]`, value] as [string, string]);
  const response = await fetch(`${origin}/v1/tokens`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${KEYS.publishableKey}` },
    body: new URLSearchParams(fields),
  });
  return (await response.json()) as Record<string, unknown>;
}

/** The parameters that save a card without a charge. */
export function saving(customer: string, paymentMethod: string): Stripe.SetupIntentCreateParams {
  return {
    customer,
    payment_method: paymentMethod,
    confirm: true,
    usage: 'off_session',
    automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
  };
}

/** @returns the SDK's error @throws Error if the call succeeds */
export async function refusal(call: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError) return error;
    throw error;
  }
  throw new Error('The call succeeded.');
}
