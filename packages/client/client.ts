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
import { type CheckedOptions, checkHeader, checkOptions, type ScheduleClientOptions } from './options.ts';
import { type Attempt, type HttpRequest, send } from './send.ts';

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
    const { code, message, next_action: action } = response;
    const nextAction = action && { type: action.type, clientSecret: action.client_secret };
    return { added: false, code, message, ...(nextAction && { nextAction }) };
  }

  /** @param card its `uuid` or integer `id` */
  async removeCard(card: string | number, options: ChangeOptions = {}): Promise<void> {
    if (card === '') throw new ConfigurationError('The card is an empty string.');
    const path = `/api/schedule/v1/payment/cards/${encodeURIComponent(card)}`;
    await this.#call('DELETE', path, withKey(options));
  }

  async #call(
    method: HttpRequest['method'],
    path: string,
    { idempotencyKey, requestId, signal, onAttempt }: ChangeOptions,
    body?: string,
  ): Promise<unknown> {
    const { baseUrl, apiKey, apiSecret, ...options } = this.#options;
    if (requestId !== undefined)
      checkHeader(
        'requestId',
        requestId,
        /^[\w.:-]{8,64}$/,
        'is not 8 to 64 letters, digits, ., _, :, or -.',
      );
    if (idempotencyKey !== undefined)
      checkHeader(
        'idempotencyKey',
        idempotencyKey,
        /^[\x20-\x7e]{1,255}$/,
        'is not 1 to 255 characters of ASCII.',
      );
    const headers = {
      Accept: 'application/json',
      'User-Agent': 'scheduling-service-client/1.0.0',
      'X-AUTH-APIKEY': apiKey,
      'X-AUTH-APISECRET': apiSecret,
      ...(requestId !== undefined && { 'X-Request-Id': requestId }),
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    };
    return send({
      ...options,
      ...{ url: baseUrl + path, method, headers, signal },
      idempotencyKey: idempotencyKey ?? null,
      onAttempt: onAttempt ?? options.onAttempt,
      ...(body !== undefined && { body }),
    });
  }
}

function withKey(options: ChangeOptions): ChangeOptions {
  return { ...options, idempotencyKey: options.idempotencyKey ?? crypto.randomUUID() };
}
