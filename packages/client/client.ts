import { ConfigurationError } from './errors.ts';
import type {
  AddCardRequest,
  AddCardResponse,
  CardObject,
  Customer,
  CustomerResponse,
  Payout,
  PayoutResponse,
} from './generated/schemas.ts';
import { type Attempt, type HttpRequest, type ResponseBody, send } from './send.ts';

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
  /** Called after each attempt, such as to log it. Its errors are ignored. */
  onAttempt?: ((attempt: Attempt) => void) | undefined;
  /** Replaces the runtime's `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
};

type CheckedOptions = { baseUrl: string; apiKey: string; apiSecret: string } & Pick<
  HttpRequest,
  'timeoutMs' | 'deadlineMs' | 'retries' | 'onAttempt' | 'fetch'
>;

export type CallOptions = {
  signal?: AbortSignal | undefined;
  /** Your own ID for the log: 8 to 64 letters, digits, `.`, `_`, `:`, or `-`. */
  requestId?: string | undefined;
  /** Called after each attempt of this call, instead of the client's. */
  onAttempt?: ((attempt: Attempt) => void) | undefined;
};

export type ChangeOptions = CallOptions & {
  /** Generated for each call by default. Pass your own to keep it across restarts of your program. */
  idempotencyKey?: string | undefined;
};

/** A refused card is a result, not an error. Check `added` first. */
export type AddCardResult =
  | {
      added: true;
      card: CardObject;
      /** The UUID of the card that was replaced, if the new card has the same number. */
      replaced?: string;
    }
  | {
      added: false;
      /** For your program: `card_declined`, `expired_card`, … */
      code: string;
      /** For the cardholder: what happened and what to do. */
      message: string;
      /**
       * Only with the code `authentication_required`: pass `clientSecret` to `stripe.handleNextAction` in the cardholder's
       * browser, and then add the same token again.
       */
      nextAction?: { type: string; clientSecret: string };
    };

/**
 * The operations of API v1. Calls are retried when a retry can succeed, and otherwise throw a subclass of
 * `ScheduleError`.
 * The client holds a secret. Use it on a server, not in a page or an app.
 */
export class ScheduleClient {
  readonly #options: CheckedOptions;

  /** @throws ConfigurationError for an option that is missing or invalid, and in a browser */
  constructor(options: ScheduleClientOptions) {
    this.#options = checkOptions(options);
  }

  /** Your account with your city and cards. */
  async getCustomer(options: CallOptions = {}): Promise<Customer> {
    const path = '/schedule/v1/customers/detail';
    const isResponse = ({ customer }: ResponseBody) => isObject(customer);
    const response = await this.#call({ method: 'GET', path, isResponse }, options);
    return (response as CustomerResponse).customer;
  }

  /** Your payout is the balance you owe at the end of the month. Calculate with `amount_cents`. */
  async getPayout(options: CallOptions = {}): Promise<Payout> {
    const path = '/api/schedule/v1/customers/payout';
    const isResponse = ({ payout }: ResponseBody) => isObject(payout);
    const response = await this.#call({ method: 'GET', path, isResponse }, options);
    return (response as PayoutResponse).payout;
  }

  /** @param request holds a token from the payment processor */
  async addCard(request: AddCardRequest, options: ChangeOptions = {}): Promise<AddCardResult> {
    const path = '/api/schedule/v1/payment/cards';
    const isResponse = ({ status, card, code }: ResponseBody) =>
      status === true ? isObject(card) : status === false && typeof code === 'string';
    const call = { method: 'POST', path, body: JSON.stringify(request), isResponse } as const;
    const response = (await this.#call(call, withKey(options))) as AddCardResponse;
    if (response.status) {
      const { card, replaced } = response;
      return { added: true, card, ...(replaced && { replaced }) };
    }
    const { code, message, next_action: action } = response;
    const nextAction = action && { type: action.type, clientSecret: action.client_secret };
    return { added: false, code, message, ...(nextAction && { nextAction }) };
  }

  /** @param card its `uuid` or integer `id` */
  async removeCard(card: string | number, options: ChangeOptions = {}): Promise<void> {
    if (card === '') throw new ConfigurationError('The card is an empty string.');
    const path = `/api/schedule/v1/payment/cards/${encodeURIComponent(card)}`;
    const isResponse = ({ status }: ResponseBody) => status === true;
    await this.#call({ method: 'DELETE', path, isResponse }, withKey(options));
  }

  async #call(
    { path, ...request }: Pick<HttpRequest, 'method' | 'body' | 'isResponse'> & { path: string },
    { idempotencyKey, requestId, signal, onAttempt }: ChangeOptions,
  ): Promise<unknown> {
    const { baseUrl, apiKey, apiSecret, ...options } = this.#options;
    const requestIdProblem = 'is not 8 to 64 letters, digits, ., _, :, or -.';
    checkHeader('requestId', requestId, /^[\w.:-]{8,64}$/, requestIdProblem);
    const keyProblem = 'is not 1 to 255 characters of ASCII.';
    checkHeader('idempotencyKey', idempotencyKey, /^[\x20-\x7e]{1,255}$/, keyProblem);
    const headers = {
      Accept: 'application/json',
      'User-Agent': 'scheduling-service-client/1.0.0',
      'X-AUTH-APIKEY': apiKey,
      'X-AUTH-APISECRET': apiSecret,
      ...(requestId !== undefined && { 'X-Request-Id': requestId }),
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
      ...(request.body !== undefined && { 'Content-Type': 'application/json' }),
    };
    return send({
      ...options,
      ...request,
      ...{ url: baseUrl + path, headers, signal },
      idempotencyKey: idempotencyKey ?? null,
      onAttempt: onAttempt ?? options.onAttempt,
    });
  }
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null;

function withKey(options: ChangeOptions): ChangeOptions {
  return { ...options, idempotencyKey: options.idempotencyKey ?? crypto.randomUUID() };
}

/** @throws ConfigurationError that names the option */
function checkOptions(options: ScheduleClientOptions): CheckedOptions {
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
function checkHeader(name: string, value: string | undefined, valid: RegExp, problem: string): void {
  if (value !== undefined && !valid.test(value)) throw new ConfigurationError(`${name} ${problem}`);
}

function baseUrlOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new ConfigurationError('baseUrl is not a URL such as https://schedule.example.com.');
  const isLoopback = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === 'http:' && !isLoopback)
    throw new ConfigurationError('baseUrl must start with https://, because requests carry the secret.');
  if (url.search || url.hash || url.username || url.password)
    throw new ConfigurationError('baseUrl contains more than an origin and a path.');
  return (url.origin + url.pathname).replace(/\/+$/, '');
}

/** Timers of Node.js with a longer time end at once. */
const maximum = 2 ** 31 - 1;

function atLeast(minimum: number, name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= minimum && value <= maximum) return value;
  throw new ConfigurationError(`${name} is not an integer from ${minimum} to ${maximum}.`);
}
