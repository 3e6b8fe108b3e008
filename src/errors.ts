/**
 * Every problem of the API by its code, which the response has as `error.type`. `cause` and `fix` are for the errors
 * page. Messages do not disclose internals and do not repeat the request.
 */

const createToken = 'Create a token in the browser with the payment provider’s library, and send the token.';
const retryLater = 'Wait for the number of seconds in `Retry-After`, and then send the same request again.';

export const problems = {
  invalid_input: {
    status: 400,
    operations: 'with parameters',
    message: 'One or more parameters are missing or invalid.',
    cause: 'One or more parameters are missing or invalid. The request had no effect.',
    fix: 'Check `error.details`. Each item names a parameter, such as `card.expMonth`, and [what is wrong with it](#parameter-errors).',
  },
  request_unreadable: {
    status: 400,
    operations: 'all',
    message: 'The request could not be read.',
    cause: 'The request isn’t valid HTTP, or its URL can’t be parsed.',
    fix: 'Use an HTTP library, percent-encode the values you put in a path, and check any proxies in between.',
  },
  malformed_json: {
    status: 400,
    operations: 'with a body',
    message: 'The request body is not valid JSON.',
    cause: 'The body can’t be parsed as JSON.',
    fix: 'Create the body with a JSON library. Check that it is UTF-8 and isn’t truncated.',
  },
  card_number_in_request: {
    status: 400,
    operations: 'with a body',
    message: 'Card numbers are not accepted. Send a token created by the payment provider.',
    cause: 'The body contains what looks like a card number. It was neither stored nor logged.',
    fix: `Don’t let card numbers pass through your systems or this API. ${createToken}`,
  },
  token_invalid: {
    status: 400,
    message: 'The token is unknown or was already used. Create a new token and try again.',
    cause:
      'The payment provider doesn’t recognize the token, or the token was already used and its card was removed.',
    fix: 'Create a new token, because each one works only once. Check that you create it with this service’s publishable key.',
  },
  idempotency_key_invalid: {
    status: 400,
    operations: 'writes',
    message: 'The Idempotency-Key must be 1 to 255 printable ASCII characters.',
    cause: 'The `Idempotency-Key` is empty, longer than 255 characters, or not printable ASCII.',
    fix: 'Use a UUID. See [Idempotency](/docs/idempotency).',
  },
  signature_invalid: {
    status: 400,
    message: 'The signature is missing, invalid, or too old.',
    cause:
      'The request to the webhook endpoint has a missing, incorrect, or expired signature. Only the payment provider uses this endpoint.',
    fix: 'No change is needed in your integration.',
  },
  authentication_required: {
    status: 401,
    operations: 'all',
    message: 'Authentication required.',
    cause: 'At least one of the two authentication headers is missing or empty.',
    fix: 'Send `X-AUTH-APIKEY` and `X-AUTH-APISECRET` with every request. See [Authentication](/docs/authentication).',
  },
  key_unknown: {
    status: 403,
    operations: 'all',
    message: 'Username could not be found.',
    cause: 'No customer has this API key.',
    fix: 'Check that you copied the whole key, and that it belongs to this service and mode (live or test).',
  },
  secret_invalid: {
    status: 403,
    operations: 'all',
    message: 'Invalid credentials.',
    cause: 'The API key is valid, but the secret is wrong, revoked, or expired.',
    fix: 'Check whether the secret was rotated. If you lost it, ask support for a new one.',
  },
  account_disabled: {
    status: 403,
    operations: 'all',
    message: 'Account is disabled.',
    cause: 'The key and the secret are valid, but the account is inactive or suspended.',
    fix: 'Contact support. Don’t retry until the account is active.',
  },
  cross_site: {
    status: 403,
    message: 'Requests from other sites are not accepted.',
    cause: 'A browser sent the request with a dashboard session, but from a page on another site.',
    fix: 'Call the API from your server with your key and secret.',
  },
  not_found: {
    status: 404,
    message: 'No endpoint matches this URL.',
    cause: 'No operation has this path. A path with a trailing slash is a different path.',
    fix: 'Compare the path with the [list of operations](/docs#operations).',
  },
  card_not_found: {
    status: 404,
    message: 'Payment method could not be found.',
    cause:
      'None of your cards has this `uuid` or `id`. The card was removed, belongs to another customer, or didn’t exist.',
    fix: '[Get the customer](/docs/get-the-customer) to list the cards on file. If you repeated a removal, the card is already gone.',
  },
  method_not_allowed: {
    status: 405,
    operations: 'all',
    message: 'This endpoint does not allow this method.',
    cause: 'The path exists, but it doesn’t support this method.',
    fix: 'Use one of the methods in the `Allow` header.',
  },
  request_timeout: {
    status: 408,
    operations: 'all',
    message: 'The request took too long to arrive.',
    cause: 'The headers or the body took too long to arrive. The connection is closed.',
    fix: 'Send the whole request without pauses. If the network failed, send the same request again.',
  },
  card_in_flight: {
    status: 409,
    retryAfterSeconds: 2,
    message: 'This token is being processed by another request. Try again in a few seconds.',
    cause: 'Another request with the same token is in progress.',
    fix: `${retryLater} You get the outcome of the first request.`,
  },
  idempotency_in_flight: {
    status: 409,
    retryAfterSeconds: 2,
    operations: 'writes',
    message: 'A request with this Idempotency-Key is still being processed. Try again in a few seconds.',
    cause: 'Another request with the same `Idempotency-Key` is in progress.',
    fix: `${retryLater} You get the outcome of the first request.`,
  },
  body_too_large: {
    status: 413,
    operations: 'with a body',
    message: 'The request body is larger than 16 KiB.',
    cause: 'The body is larger than 16 KiB.',
    fix: 'Send only the token and the documented card fields.',
  },
  unsupported_media_type: {
    status: 415,
    operations: 'with a body',
    message: 'The request body must be application/json.',
    cause: 'The `Content-Type` header is missing or isn’t `application/json`.',
    fix: 'Send `Content-Type: application/json`.',
  },
  host_unknown: {
    status: 421,
    operations: 'all',
    message: 'This service does not serve the requested host.',
    cause: 'The `Host` header names a host other than this service’s.',
    fix: 'Use the URL in the [quickstart](/docs). If you run a proxy in front of the service, let it pass the `Host` header on.',
  },
  idempotency_mismatch: {
    status: 422,
    operations: 'writes',
    message: 'This Idempotency-Key was already used for a different request.',
    cause: 'The `Idempotency-Key` was already used with another operation, another card, or another body.',
    fix: 'Use a new key for each operation you want to perform. Reuse a key only to retry an identical request.',
  },
  provider_unavailable: {
    status: 424,
    retryAfterSeconds: 2,
    message: 'The payment provider could not be reached or failed. Try again with the same token.',
    cause: 'The payment provider was unreachable or failed. The card might still be added later.',
    fix: 'Wait for the number of seconds in `Retry-After`, and then send the same token again to get the outcome. It won’t add a second card.',
  },
  too_many_requests: {
    status: 429,
    operations: 'all',
    message: 'Too many requests. Try again later.',
    cause: 'You have used up your request quota for this minute.',
    fix: 'Wait for the number of seconds in `Retry-After`. Use the `RateLimit` header to stay within your quota. See [Rate limits](/docs/limits).',
  },
  too_many_failures: {
    status: 429,
    operations: 'all',
    message: 'Too many failed authentications. Try again later.',
    cause:
      'Too many requests from your IP address had a wrong key or secret. A valid key and secret still work.',
    fix: 'Correct the key and the secret, and then wait for the number of seconds in `Retry-After`.',
  },
  too_many_declines: {
    status: 429,
    message: 'Too many declined cards. Try again later.',
    cause: 'Too many of your cards were declined within an hour, or are still being checked.',
    fix: 'Wait for the number of seconds in `Retry-After`. If someone is testing card numbers in your form, block them.',
  },
  too_many_new_cards: {
    status: 429,
    message: 'Too many new cards. Try again later.',
    cause:
      'Too many new card tokens were posted within an hour. Tokens that were posted before still get their response.',
    fix: 'Wait for the number of seconds in `Retry-After`. If someone is testing card numbers in your form, block them.',
  },
  headers_too_large: {
    status: 431,
    operations: 'all',
    message: 'The request headers are larger than 16 KiB.',
    cause: 'The headers add up to more than 16 KiB. The connection is closed.',
    fix: 'Send only the documented headers. The API doesn’t use cookies.',
  },
  internal: {
    status: 500,
    operations: 'all',
    message: 'Something went wrong on our side. Try again. If the problem persists, contact support.',
    cause: 'Something went wrong on our side.',
    fix: 'Try again with the same `Idempotency-Key`. If the problem persists, contact support and include the `X-Request-Id` of the response.',
  },
  unavailable: {
    status: 503,
    retryAfterSeconds: 1,
    operations: 'all',
    message: 'The service is temporarily unavailable. Try again shortly.',
    cause:
      'The service is overloaded, its database can’t be reached, or the payment provider rejects its account.',
    fix: retryLater,
  },
} as const satisfies Record<string, Problem>;

export type Problem = {
  status: number;
  /** `Retry-After`, unless the time is known better when it is sent. */
  retryAfterSeconds?: number;
  /** The operations whose pipeline can send it. If absent, operations list it themselves. */
  operations?: 'all' | 'with parameters' | 'with a body' | 'writes';
  message: string;
  cause: string;
  fix: string;
};

export type ProblemCode = keyof typeof problems;

/** The problems, and failures that only the command line can have. */
export type ErrorCode = ProblemCode | 'already_exists' | 'refused';

/** `param` is the path to the input at fault (`card.expMonth`); `message` never repeats the input. */
export type Detail = { param: string; message: string };

/** A failure of the business rules. `src/api/problems.ts` turns it into a response. */
export class DomainError extends Error {
  override name = 'DomainError';
  readonly code: ErrorCode;
  readonly details: Detail[];

  /**
   * @param code what went wrong
   * @param message for the operator's terminal or the log; the API has messages of its own
   * @param details which parts of the input are at fault
   */
  constructor(code: ErrorCode, message: string, details: Detail[] = [], options: ErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.details = details;
  }
}
