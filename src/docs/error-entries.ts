import type { cardRefusals } from '#src/api/operations/card-refusals.ts';
import type { ProblemCode } from '#src/api/problems.ts';

type ErrorEntry = { cause: string; fix: string };

const createToken = 'Create a token in the browser with the payment provider’s library, and send the token.';
const retryLater = 'Wait for the number of seconds in `Retry-After`, and then send the same request again.';

/** An entry for every error of the API, by its code. */
export const problemEntries: Record<ProblemCode, ErrorEntry> = {
  invalid_input: {
    cause: 'One or more parameters are missing or invalid. The request had no effect.',
    fix: 'Check `error.details`. Each item names a parameter, such as `card.expMonth`, and [what is wrong with it](#parameter-errors).',
  },
  request_unreadable: {
    cause: 'The request isn’t valid HTTP, or its URL can’t be parsed.',
    fix: 'Use an HTTP library, percent-encode the values you put in a path, and check any proxies in between.',
  },
  malformed_json: {
    cause: 'The body can’t be parsed as JSON.',
    fix: 'Create the body with a JSON library. Check that it is UTF-8 and isn’t truncated.',
  },
  card_number_in_request: {
    cause: 'The body contains what looks like a card number. It was neither stored nor logged.',
    fix: `Don’t let card numbers pass through your systems or this API. ${createToken}`,
  },
  token_invalid: {
    cause:
      'The payment provider doesn’t recognize the token, or the token was already used and its card was removed.',
    fix: 'Create a new token, because each one works only once. Check that you create it with this service’s publishable key.',
  },
  idempotency_key_invalid: {
    cause: 'The `Idempotency-Key` is empty, longer than 255 characters, or not printable ASCII.',
    fix: 'Use a UUID. See [Idempotency](/docs/idempotency).',
  },
  signature_invalid: {
    cause:
      'The request to the webhook endpoint has a missing, incorrect, or expired signature. Only the payment provider uses this endpoint.',
    fix: 'No change is needed in your integration.',
  },
  authentication_required: {
    cause: 'At least one of the two authentication headers is missing or empty.',
    fix: 'Send `X-AUTH-APIKEY` and `X-AUTH-APISECRET` with every request. See [Authentication](/docs/authentication).',
  },
  key_unknown: {
    cause: 'No customer has this API key.',
    fix: 'Check that you copied the whole key, and that it belongs to this service and mode (live or test).',
  },
  secret_invalid: {
    cause: 'The API key is valid, but the secret is wrong, revoked, or expired.',
    fix: 'Check whether the secret was rotated. If you lost it, ask support for a new one.',
  },
  account_disabled: {
    cause: 'The key and the secret are valid, but the account is inactive or suspended.',
    fix: 'Contact support. Don’t retry until the account is active.',
  },
  cross_site: {
    cause: 'A browser sent the request with a dashboard session, but from a page on another site.',
    fix: 'Call the API from your server with your key and secret.',
  },
  not_found: {
    cause: 'No operation has this path. A path with a trailing slash is a different path.',
    fix: 'Compare the path with the [list of operations](/docs#operations).',
  },
  card_not_found: {
    cause:
      'None of your cards has this `uuid` or `id`. The card was removed, belongs to another customer, or didn’t exist.',
    fix: '[Get the customer](/docs/get-the-customer) to list the cards on file. If you repeated a removal, the card is already gone.',
  },
  method_not_allowed: {
    cause: 'The path exists, but it doesn’t support this method.',
    fix: 'Use one of the methods in the `Allow` header.',
  },
  request_timeout: {
    cause: 'The headers or the body took too long to arrive. The connection is closed.',
    fix: 'Send the whole request without pauses. If the network failed, send the same request again.',
  },
  card_in_flight: {
    cause: 'Another request with the same token is in progress.',
    fix: `${retryLater} You get the outcome of the first request.`,
  },
  idempotency_in_flight: {
    cause: 'Another request with the same `Idempotency-Key` is in progress.',
    fix: `${retryLater} You get the outcome of the first request.`,
  },
  body_too_large: {
    cause: 'The body is larger than 16 KiB.',
    fix: 'Send only the token and the documented card fields.',
  },
  unsupported_media_type: {
    cause: 'The `Content-Type` header is missing or isn’t `application/json`.',
    fix: 'Send `Content-Type: application/json`.',
  },
  idempotency_mismatch: {
    cause: 'The `Idempotency-Key` was already used with another operation, another card, or another body.',
    fix: 'Use a new key for each operation you want to perform. Reuse a key only to retry an identical request.',
  },
  provider_unavailable: {
    cause: 'The payment provider was unreachable or failed. No card was added.',
    fix: 'Wait for the number of seconds in `Retry-After`, and then send the same token again. It won’t add a second card.',
  },
  too_many_requests: {
    cause: 'You have used up your request quota for this minute.',
    fix: 'Wait for the number of seconds in `Retry-After`. Use the `RateLimit` header to stay within your quota. See [Rate limits](/docs/limits).',
  },
  too_many_failures: {
    cause:
      'Too many requests from your IP address had a wrong key or secret. A valid key and secret still work.',
    fix: 'Correct the key and the secret, and then wait for the number of seconds in `Retry-After`.',
  },
  too_many_declines: {
    cause: 'Too many of your cards were declined within an hour.',
    fix: 'Wait for the number of seconds in `Retry-After`. If someone is testing card numbers in your form, block them.',
  },
  headers_too_large: {
    cause: 'The headers add up to more than 16 KiB. The connection is closed.',
    fix: 'Send only the documented headers. The API doesn’t use cookies.',
  },
  internal: {
    cause: 'Something went wrong on our side.',
    fix: 'Try again with the same `Idempotency-Key`. If the problem persists, contact support and include the `X-Request-Id` of the response.',
  },
  unavailable: {
    cause: 'The service can’t reach its database or is overloaded.',
    fix: retryLater,
  },
};

/** An entry for every reason for a declined card. These responses have HTTP 200 and `status: false`. */
export const declineEntries: Record<keyof typeof cardRefusals, ErrorEntry> = {
  card_declined: {
    cause:
      'The bank declined the card without a reason, or for a reason that must not be revealed to the person using the card.',
    fix: 'Show the message. The customer needs another card. The bank can tell the cardholder more.',
  },
  insufficient_funds: {
    cause: 'The card has insufficient funds for the bank’s check.',
    fix: 'Show the message. The customer needs another card.',
  },
  card_velocity_exceeded: {
    cause: 'The card was used more often than its bank allows.',
    fix: 'Show the message. The same card might work tomorrow.',
  },
  expired_card: {
    cause: 'The card has expired, or the expiration date doesn’t match the bank’s records.',
    fix: 'Show the message next to the expiration date.',
  },
  incorrect_cvc: {
    cause: 'The security code (CVC) is wrong.',
    fix: 'Show the message next to the security code, and ask for it again.',
  },
  incorrect_number: {
    cause: 'The card number isn’t valid.',
    fix: 'Show the message next to the card number, and ask for it again.',
  },
  processing_error: {
    cause: 'The bank or the card network had a temporary problem.',
    fix: 'Create a new token and try again in a minute.',
  },
  authentication_required: {
    cause: 'The bank requires the cardholder to authenticate the card, which this API doesn’t support.',
    fix: 'Show the message. The customer needs another card.',
  },
  card_already_added: {
    cause: 'A card with this number and expiration date is already on file.',
    fix: 'No action is needed. The card can be used.',
  },
  card_limit_reached: {
    cause: 'The account already has the maximum number of cards on file.',
    fix: 'Remove a card, and then add this one with a new token.',
  },
};

/** The messages of `error.details`. */
export const parameterErrorEntries: { message: string; cause: string }[] = [
  { message: 'Is required.', cause: 'The parameter is missing.' },
  {
    message: 'Must be a string.',
    cause: 'The parameter has another JSON type. The message can also name `an object` or `a boolean`.',
  },
  {
    message: 'Must have at most 255 characters.',
    cause: 'The value is too long. The maximum depends on the parameter.',
  },
  { message: 'Must be the last four digits.', cause: '`last4` isn’t four digits.' },
  { message: 'Must be a month from 1 to 12.', cause: '`expMonth` isn’t a string such as `9` or `09`.' },
  {
    message: 'Must be a year of two or four digits.',
    cause: '`expYear` isn’t a string such as `31` or `2031`.',
  },
  {
    message: 'Must not contain control characters.',
    cause: 'The value contains a line break, a tab, or another control character.',
  },
  {
    message: 'Must be a token (tok_…) or a payment method (pm_…) of the payment provider.',
    cause: '`token` has neither form.',
  },
  {
    message: 'Must be the uuid or the integer id of a card.',
    cause: 'The last part of the path is neither.',
  },
  { message: 'Is not valid.', cause: 'The value is invalid in some other way.' },
];
