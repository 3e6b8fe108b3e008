import { ConfigurationError } from './errors.ts';
import type { Attempt } from './send.ts';

/** An option that is `undefined` has its default. */
export type ScheduleClientOptions = {
  /** The service's URL, such as `https://schedule.example.com`. Without https only for `localhost` and loopback addresses. */
  baseUrl: string | undefined;
  apiKey: string | undefined;
  apiSecret: string | undefined;
  /** Timeout of one attempt, 15,000 by default. */
  timeoutMs?: number | undefined;
  /** Timeout of a call with its retries, 120,000 by default. */
  deadlineMs?: number | undefined;
  /** Attempts after the first, 3 by default. */
  retries?: number | undefined;
  /** Called after each attempt, such as to log it. */
  onAttempt?: ((attempt: Attempt) => void) | undefined;
  /** Replaces the runtime's `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
};

export type CheckedOptions = {
  baseUrl: string;
  apiKey: string;
  apiSecret: string;
  timeoutMs: number;
  deadlineMs: number;
  retries: number;
  onAttempt: ((attempt: Attempt) => void) | undefined;
  fetch: typeof globalThis.fetch;
};

/** @throws ConfigurationError that names the option */
export function checkOptions(options: ScheduleClientOptions): CheckedOptions {
  if ('window' in globalThis && 'document' in globalThis)
    throw new ConfigurationError(
      'The client holds a secret, so it does not run in a browser. Call the API from your server.',
    );
  return {
    baseUrl: baseUrlOf(present(options, 'baseUrl')),
    apiKey: credential(options, 'apiKey'),
    apiSecret: credential(options, 'apiSecret'),
    timeoutMs: atLeast(1, 'timeoutMs', options.timeoutMs ?? 15_000),
    deadlineMs: atLeast(1, 'deadlineMs', options.deadlineMs ?? 120_000),
    retries: atLeast(0, 'retries', options.retries ?? 3),
    onAttempt: options.onAttempt,
    fetch: options.fetch ?? ((...call) => globalThis.fetch(...call)),
  };
}

function present(options: ScheduleClientOptions, name: 'baseUrl' | 'apiKey' | 'apiSecret'): string {
  const value = options[name];
  if (!value) throw new ConfigurationError(`${name} is missing.`);
  return value;
}

function credential(options: ScheduleClientOptions, name: 'apiKey' | 'apiSecret'): string {
  const value = present(options, name);
  checkHeader(name, value, /^[\x21-\x7e]+$/, 'contains a character that is not printable ASCII.');
  return value;
}

/** @throws ConfigurationError before the runtime refuses the header for a reason that looks like a network error */
export function checkHeader(name: string, value: string, valid: RegExp, problem: string): void {
  if (!valid.test(value)) throw new ConfigurationError(`${name} ${problem}`);
}

function baseUrlOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new ConfigurationError('baseUrl is not a URL such as https://schedule.example.com.');
  const isLoopback = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === 'http:' && !isLoopback)
    throw new ConfigurationError('baseUrl must start with https://, because requests carry the secret.');
  return text.replace(/\/+$/, '');
}

function atLeast(minimum: number, name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= minimum) return value;
  throw new ConfigurationError(`${name} is not an integer of at least ${minimum}.`);
}
