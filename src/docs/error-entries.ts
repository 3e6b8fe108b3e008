import type { cardRefusals } from '#src/api/operations/card-refusals.ts';
import type { ProblemCode } from '#src/api/problems.ts';

/** What happened, and what to do about it. */
export type Entry = { happened: string; remedy: string };

const sendTokens = 'Make a token with the card-payment provider’s library in the browser and send that.';
const callSupport = 'tell the support team the `X-Request-Id` of the answer.';

/** An entry for every failure of the API; a code without one does not compile. */
export const problemEntries: Record<ProblemCode, Entry> = {
  invalid_input: {
    happened: 'One or more parameters are missing, of the wrong type or impossible. Nothing was done.',
    remedy:
      'Read `error.details`: each names a parameter (`card.expMonth`) and [what is wrong with it](#details).',
  },
  request_unreadable: {
    happened: 'It is not HTTP as it should be, or its address cannot be understood.',
    remedy: 'Use an HTTP library, escape what you put into a path, and check what proxies in between do.',
  },
  malformed_json: {
    happened: 'The body cannot be read as JSON.',
    remedy: 'Make the body with a JSON library; check that it is UTF-8 and that nothing cuts it off.',
  },
  card_number_in_request: {
    happened: 'Somewhere in the body is what passes for a card number. It was neither kept nor logged.',
    remedy: `Card numbers must never pass through your systems or this one. ${sendTokens}`,
  },
  token_invalid: {
    happened: 'The provider does not know this token, or it was used before and its card was removed since.',
    remedy: 'Make a new token: each works once. Check that it comes from this service’s own publishable key.',
  },
  idempotency_key_invalid: {
    happened: 'The `Idempotency-Key` is empty, longer than 255 characters, or not printable ASCII.',
    remedy: 'Send a UUID. See [idempotency](/docs/idempotency).',
  },
  signature_invalid: {
    happened:
      'Only at the address where the card-payment provider delivers its events: the signature is wrong.',
    remedy: 'Nothing for an integrator to do: this address is the provider’s.',
  },
  authentication_required: {
    happened: 'One of the two headers is missing or empty.',
    remedy:
      'Send `X-AUTH-APIKEY` and `X-AUTH-APISECRET` with every request. See [authentication](/docs/authentication).',
  },
  key_unknown: {
    happened: 'No customer has this key.',
    remedy: 'Check that the whole key was copied and that it is one of this service, live or test.',
  },
  secret_invalid: {
    happened: 'The key is known; the secret is wrong, was revoked or has expired.',
    remedy: 'Check for a secret that was replaced. If it is lost, ask the support team for a new one.',
  },
  account_disabled: {
    happened: 'Key and secret are right, but the account is inactive or suspended.',
    remedy: 'Ask the support team. Do not retry until then.',
  },
  cross_site: {
    happened: 'A browser sent the request with a session from a page of another site.',
    remedy: 'Call from your server with your key and secret.',
  },
  not_found: {
    happened: 'No operation has this path. A slash at its end makes it another path.',
    remedy: 'Compare the path with the [operations](/docs#operations).',
  },
  card_not_found: {
    happened:
      'No card of yours has this `uuid` or `id`: it never was, was removed, or is another customer’s.',
    remedy:
      'Read [your record](/docs/get-the-customer) for the cards on file. After a removal that you repeat, this means done.',
  },
  method_not_allowed: {
    happened: 'The path is right, the method is not.',
    remedy: 'Use one of the methods that `Allow` names.',
  },
  request_timeout: {
    happened: 'The headers or the body did not arrive in time; the connection is closed.',
    remedy: 'Send the request in one go, and the same again where the network failed.',
  },
  card_in_flight: {
    happened: 'Another request with the same token is being worked on.',
    remedy: 'Wait `Retry-After` seconds and send the same again: you get the outcome of the first.',
  },
  idempotency_in_flight: {
    happened: 'Another request with the same `Idempotency-Key` is being worked on.',
    remedy: 'Wait `Retry-After` seconds and send the same again: you get the outcome of the first.',
  },
  body_too_large: {
    happened: 'The body has more than 16 KiB.',
    remedy: 'Send the token and the few fields of the card, nothing else.',
  },
  unsupported_media_type: {
    happened: 'The `Content-Type` is missing or is not `application/json`.',
    remedy: 'Send `Content-Type: application/json`.',
  },
  idempotency_mismatch: {
    happened: 'The `Idempotency-Key` was used before, for another operation, another card or another body.',
    remedy:
      'Make a new key for each thing that you want done; keep it only for retries of the very same request.',
  },
  provider_unavailable: {
    happened: 'The card-payment provider could not be reached or failed. No card was added.',
    remedy: 'Wait `Retry-After` seconds and send the same token again: it never adds two cards.',
  },
  too_many_requests: {
    happened: 'The budget of requests of this minute is used up.',
    remedy: 'Wait `Retry-After` seconds. Watch `RateLimit` to stay within it. See [limits](/docs/limits).',
  },
  too_many_failures: {
    happened:
      'Too many requests with a wrong key or secret came from your address. Right ones are refused too for a while.',
    remedy: 'Correct the key and the secret, then wait `Retry-After` seconds.',
  },
  too_many_declines: {
    happened: 'Too many cards were declined in an hour.',
    remedy:
      'Wait `Retry-After` seconds. If somebody tries out card numbers through your form, stop them there.',
  },
  headers_too_large: {
    happened: 'The headers have more than 16 KiB together; the connection is closed.',
    remedy: 'Send only the headers that the operations name. Cookies are not needed.',
  },
  internal: {
    happened: 'A fault of this service.',
    remedy: `Try again with the same \`Idempotency-Key\`. If it stays, ${callSupport}`,
  },
  unavailable: {
    happened: 'The service cannot reach its database, or has more to do than it can queue.',
    remedy: 'Wait `Retry-After` seconds and send the same again.',
  },
};

/** An entry for every reason why a card is refused: these come with HTTP 200 and `status: false`. */
export const refusalEntries: Record<keyof typeof cardRefusals, Entry> = {
  card_declined: {
    happened:
      'The bank said no and did not say why, or said it in a way that the person holding the card must not learn.',
    remedy: 'Show the message. Another card is needed; the bank can tell the owner more.',
  },
  insufficient_funds: {
    happened: 'The bank found too little money for the check it makes.',
    remedy: 'Show the message. Another card is needed.',
  },
  card_velocity_exceeded: {
    happened: 'The card reached a limit of its bank on how often it is used.',
    remedy: 'Show the message. Tomorrow the same card may work.',
  },
  expired_card: {
    happened: 'The date on the card is past, or is not the bank’s.',
    remedy: 'Show the message beside the date.',
  },
  incorrect_cvc: {
    happened: 'The security code is wrong.',
    remedy: 'Show the message beside the code and ask again.',
  },
  incorrect_number: {
    happened: 'The number is not one of a card.',
    remedy: 'Show the message beside the number and ask again.',
  },
  processing_error: {
    happened: 'The bank or the network failed just now.',
    remedy: 'Make a new token and try again in a minute.',
  },
  authentication_required: {
    happened: 'The bank wants its customer to confirm the card, which this API has no step for.',
    remedy: 'Show the message. Another card is needed.',
  },
  card_already_added: {
    happened: 'A card with this number and this expiry is on file.',
    remedy: 'Nothing to do: the card can be used.',
  },
  card_limit_reached: {
    happened: 'There are as many cards on file as an account can have.',
    remedy: 'Remove one, then add this one with a new token.',
  },
};

/** What `error.details` can say of a parameter. */
export const detailEntries: { message: string; happened: string }[] = [
  { message: 'Is required.', happened: 'The parameter is not there.' },
  {
    message: 'Must be a string.',
    happened: 'It has another JSON type. So with `an object` and `a boolean`.',
  },
  {
    message: 'Must have at most 255 characters.',
    happened: 'It is too long; the number is the parameter’s own.',
  },
  { message: 'Must be the last four digits.', happened: '`last4` is not four digits.' },
  { message: 'Must be a month from 1 to 12.', happened: '`expMonth` is a text such as `9` or `09`.' },
  {
    message: 'Must be a year of two or four digits.',
    happened: '`expYear` is a text such as `31` or `2031`.',
  },
  {
    message: 'Must not contain control characters.',
    happened: 'The text holds a line break, a tab or the like.',
  },
  {
    message: 'Must be a token (tok_…) or a payment method (pm_…) of the payment provider.',
    happened: '`token` has neither form.',
  },
  { message: 'Must be the uuid or the integer id of a card.', happened: 'The path’s last part is neither.' },
  { message: 'Is not valid.', happened: 'Anything else that cannot be.' },
];
