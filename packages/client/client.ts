import type {
  AddCardRequest,
  AddCardResponse,
  CardObject,
  Customer,
  CustomerResponse,
  Payout,
  PayoutResponse,
} from './generated/schemas.ts';
import { type Sending, send } from './send.ts';

export type ScheduleClientOptions = {
  /** The service's address, such as `https://schedule.example.com`. */
  baseUrl: string;
  apiKey: string;
  apiSecret: string;
  /** For one try, in milliseconds; 15,000 unless given: adding a card waits for a bank. */
  timeoutMs?: number;
  /** Tries after the first; 3 unless given. */
  retries?: number;
  /** In place of the runtime's own. */
  fetch?: typeof globalThis.fetch;
};

export type CallOptions = {
  signal?: AbortSignal;
  /** An id of your own for the log, 8 to 64 letters, digits, `.`, `_`, `:` or `-`. */
  requestId?: string;
};

export type ChangeOptions = CallOptions & {
  /** One is made for each call unless given; give your own to keep it over a restart of your program. */
  idempotencyKey?: string;
};

/** A refused card is an answer, not an error: look at `added` before you take the card. */
export type AddCardResult =
  | { added: true; card: CardObject }
  | {
      added: false;
      /** For your program: `card_declined`, `expired_card`, … */
      code: string;
      /** For the person whose card it is: what happened and what to do. */
      message: string;
    };

/**
 * The four operations of API v1. Every call is retried when that can help, and throws a `ScheduleError` otherwise.
 * It holds a secret: use it on a server, never in a page or an app.
 */
export class ScheduleClient {
  readonly #options: Required<ScheduleClientOptions>;

  constructor(options: ScheduleClientOptions) {
    for (const name of ['baseUrl', 'apiKey', 'apiSecret'] as const) {
      if (!options[name]) throw new TypeError(`ScheduleClient: ${name} is missing.`);
    }
    const baseUrl = options.baseUrl.replace(/\/+$/, '');
    const fetch = options.fetch ?? ((...call) => globalThis.fetch(...call));
    this.#options = { timeoutMs: 15_000, retries: 3, ...options, baseUrl, fetch };
  }

  /** Your record, with your city and your cards. */
  async getCustomer(options: CallOptions = {}): Promise<Customer> {
    const answer = await this.#call('GET', '/schedule/v1/customers/detail', options);
    return (answer as CustomerResponse).customer;
  }

  /** What is to be paid at the end of this month. Calculate with `amount_cents`. */
  async getPayout(options: CallOptions = {}): Promise<Payout> {
    const answer = await this.#call('GET', '/api/schedule/v1/customers/payout', options);
    return (answer as PayoutResponse).payout;
  }

  /** Adds the card behind a token of the card-payment provider. */
  async addCard(request: AddCardRequest, options: ChangeOptions = {}): Promise<AddCardResult> {
    const body = JSON.stringify(request);
    const answer = await this.#call('POST', '/api/schedule/v1/payment/cards', withKey(options), body);
    const outcome = answer as AddCardResponse;
    if (outcome.status) return { added: true, card: outcome.card };
    return { added: false, code: outcome.code, message: outcome.message };
  }

  /**
   * Removes a card.
   * @param card its `uuid`, or its integer `id`
   */
  async removeCard(card: string | number, options: ChangeOptions = {}): Promise<void> {
    const path = `/api/schedule/v1/payment/cards/${encodeURIComponent(card)}`;
    await this.#call('DELETE', path, withKey(options));
  }

  #call(method: Sending['method'], path: string, options: ChangeOptions, body?: string): Promise<unknown> {
    const { baseUrl, apiKey, apiSecret, timeoutMs, retries, fetch } = this.#options;
    const headers = {
      Accept: 'application/json',
      'X-AUTH-APIKEY': apiKey,
      'X-AUTH-APISECRET': apiSecret,
      ...(options.requestId && { 'X-Request-Id': options.requestId }),
      ...(options.idempotencyKey && { 'Idempotency-Key': options.idempotencyKey }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    };
    const { signal } = options;
    const optional = { ...(body !== undefined && { body }), ...(signal && { signal }) };
    return send({ url: baseUrl + path, method, headers, timeoutMs, retries, fetch, ...optional });
  }
}

function withKey(options: ChangeOptions): ChangeOptions {
  return { ...options, idempotencyKey: options.idempotencyKey ?? crypto.randomUUID() };
}
