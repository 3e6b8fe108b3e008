import type {
  AddCardRequest,
  AddCardResponse,
  CardObject,
  Customer,
  CustomerResponse,
  Payout,
  PayoutResponse,
} from './generated/schemas.ts';
import { type HttpRequest, send } from './send.ts';

export type ScheduleClientOptions = {
  /** The service's URL, such as `https://schedule.example.com`. */
  baseUrl: string;
  apiKey: string;
  apiSecret: string;
  /** Timeout of one attempt, 15,000 by default, because adding a card waits for a bank. */
  timeoutMs?: number;
  /** Attempts after the first, 3 by default. */
  retries?: number;
  /** Replaces the runtime's `fetch`. */
  fetch?: typeof globalThis.fetch;
};

export type CallOptions = {
  signal?: AbortSignal;
  /** Your own ID for the log: 8 to 64 letters, digits, `.`, `_`, `:`, or `-`. */
  requestId?: string;
};

export type ChangeOptions = CallOptions & {
  /** Generated for each call by default. Pass your own to keep it across restarts of your program. */
  idempotencyKey?: string;
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
    };

/**
 * The operations of API v1. Calls are retried when a retry can succeed, and otherwise throw a `ScheduleError`.
 * The client holds a secret. Use it on a server, not in a page or an app.
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

  /** Your account with your city and cards. */
  async getCustomer(options: CallOptions = {}): Promise<Customer> {
    const response = await this.#call('GET', '/schedule/v1/customers/detail', options);
    return (response as CustomerResponse).customer;
  }

  /** Your payout is the balance you owe at the end of the month. Calculate with `amount_cents`. */
  async getPayout(options: CallOptions = {}): Promise<Payout> {
    const response = await this.#call('GET', '/api/schedule/v1/customers/payout', options);
    return (response as PayoutResponse).payout;
  }

  /** @param request holds a token from the payment processor */
  async addCard(request: AddCardRequest, options: ChangeOptions = {}): Promise<AddCardResult> {
    const body = JSON.stringify(request);
    const path = '/api/schedule/v1/payment/cards';
    const response = (await this.#call('POST', path, withKey(options), body)) as AddCardResponse;
    if (response.status) {
      const { card, replaced } = response;
      return { added: true, card, ...(replaced && { replaced }) };
    }
    return { added: false, code: response.code, message: response.message };
  }

  /** @param card its `uuid` or integer `id` */
  async removeCard(card: string | number, options: ChangeOptions = {}): Promise<void> {
    const path = `/api/schedule/v1/payment/cards/${encodeURIComponent(card)}`;
    await this.#call('DELETE', path, withKey(options));
  }

  #call(
    method: HttpRequest['method'],
    path: string,
    options: ChangeOptions,
    body?: string,
  ): Promise<unknown> {
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
