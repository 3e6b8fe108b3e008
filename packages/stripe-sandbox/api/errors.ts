/** Stripe's error responses: HTTP status, `type`, `code`, `param`, and the messages integrations know. */
import type { Stripe } from 'stripe';

/** The SDK's type of the error on a setup intent. */
export type ErrorFields = Stripe.SetupIntent.LastSetupError;

/** An error response. Thrown by an operation, it undoes the operation's writes. */
export class StripeApiError extends Error {
  override name = 'StripeApiError';
  readonly status: number;
  readonly fields: ErrorFields;
  /** False if the request was refused before the operation ran, so that its idempotency key stays unused. */
  readonly isStored: boolean;

  constructor(status: number, fields: ErrorFields, isStored = true) {
    super(fields.message);
    this.status = status;
    this.fields = fields.code ? { doc_url: docUrl(fields.code), ...fields } : fields;
    this.isStored = isStored;
  }
}

export function docUrl(code: string): string {
  return `https://stripe.com/docs/error-codes/${code.replaceAll('_', '-')}`;
}

const invalid = (status: number, fields: Omit<ErrorFields, 'type'>, isStored = true) =>
  new StripeApiError(status, { type: 'invalid_request_error', ...fields }, isStored);

/** @param what Stripe's noun, such as `customer` @param isInPath 404 for an ID in the path, 400 for a parameter */
export function missing(what: string, id: string, param: string, isInPath: boolean): StripeApiError {
  return invalid(isInPath ? 404 : 400, {
    code: 'resource_missing',
    message: `No such ${what}: '${id}'`,
    param,
  });
}

export function unknownParameters(names: string[]): StripeApiError {
  const noun = names.length === 1 ? 'parameter' : 'parameters';
  const message = `Received unknown ${noun}: ${names.join(', ')}`;
  return invalid(400, { code: 'parameter_unknown', message, param: names[0] ?? '' }, false);
}

export function missingParameter(param: string): StripeApiError {
  return invalid(
    400,
    { code: 'parameter_missing', message: `Missing required param: ${param}.`, param },
    false,
  );
}

export function invalidParameter(param: string, message: string, code?: ErrorFields['code']): StripeApiError {
  return invalid(400, { ...(code ? { code } : {}), message, param }, false);
}

export function invalidState(
  message: string,
  fields: Pick<ErrorFields, 'code' | 'param'> = {},
): StripeApiError {
  return invalid(400, { ...fields, message });
}

export function unexpectedState(message: string, intent: Stripe.SetupIntent): StripeApiError {
  return invalid(400, { code: 'setup_intent_unexpected_state', message, setup_intent: intent });
}

export function wrongClientSecret(): StripeApiError {
  const message =
    "The client_secret provided does not match any associated SetupIntent on this account. Ensure the client_secret is correct and that the SetupIntent hasn't been deleted.";
  return invalid(400, { code: 'setup_intent_invalid_parameter', message, param: 'client_secret' }, false);
}

export function unknownUrl(method: string, path: string): StripeApiError {
  const message = `Unrecognized request URL (${method}: ${path}). Please see https://stripe.com/docs or we can help at https://support.stripe.com/.`;
  return invalid(404, { message }, false);
}

export function notFormEncoded(): StripeApiError {
  return invalid(400, { message: 'The body must be application/x-www-form-urlencoded.' }, false);
}

export function unauthenticated(message: string): StripeApiError {
  return invalid(401, { message }, false);
}

export function permissionMissing(): StripeApiError {
  const message = 'The provided key does not have the required permissions for this endpoint.';
  return invalid(403, { message }, false);
}

/** What the account is not set up for. */
export function accountRefused(): StripeApiError {
  return invalid(400, { message: 'Your account cannot save payment methods at the moment.' });
}

export function secretKeyRequired(): StripeApiError {
  const message =
    'This API call cannot be made with a publishable API key. Please use a secret API key. You can find a list of your API keys at https://dashboard.stripe.com/account/apikeys.';
  return invalid(403, { code: 'secret_key_required', message }, false);
}

export function idempotencyError(message: string): StripeApiError {
  return new StripeApiError(400, { type: 'idempotency_error', message }, false);
}

export function keyInUse(key: string): StripeApiError {
  const message = `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`;
  return new StripeApiError(
    409,
    { type: 'invalid_request_error', code: 'idempotency_key_in_use', message },
    false,
  );
}

export function rateLimited(): StripeApiError {
  const message =
    'Request rate limit exceeded. Learn more about rate limits here https://stripe.com/docs/rate-limits.';
  return new StripeApiError(429, { type: 'invalid_request_error', code: 'rate_limit', message }, false);
}

export function providerFailure(): StripeApiError {
  const message =
    'Sorry! There was an error while talking to one of our backends. Support has been notified.';
  return new StripeApiError(500, { type: 'api_error', message });
}

export function cardError(fields: Omit<ErrorFields, 'type'>): StripeApiError {
  return new StripeApiError(402, { type: 'card_error', ...fields });
}
