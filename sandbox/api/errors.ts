/** The provider's error answers: HTTP status, `type`, `code`, `param` and the words integrations know them by. */
import type { Stripe } from 'stripe';

/** The fields of an error object; the SDK's own type for the error kept on a setup intent. */
export type ErrorFields = Stripe.SetupIntent.LastSetupError;

/** An answer that is an error. Thrown by an operation; whatever it wrote until then is undone. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  readonly fields: ErrorFields;
  /** False for requests refused before the operation began: their idempotency key stays free. */
  readonly isStored: boolean;

  constructor(status: number, fields: ErrorFields, isStored = true) {
    super(fields.message);
    this.status = status;
    this.fields = fields.code ? { doc_url: docUrl(fields.code), ...fields } : fields;
    this.isStored = isStored;
  }
}

/** @returns the page that the provider's documentation has for an error code */
export function docUrl(code: string): string {
  return `https://stripe.com/docs/error-codes/${code.replaceAll('_', '-')}`;
}

const invalid = (status: number, fields: Omit<ErrorFields, 'type'>, isStored = true) =>
  new ApiError(status, { type: 'invalid_request_error', ...fields }, isStored);

/** @param what the noun as the provider says it, e.g. `customer`; @param isInPath 404 for the address, 400 for a parameter */
export function missing(what: string, id: string, param: string, isInPath: boolean): ApiError {
  return invalid(isInPath ? 404 : 400, {
    code: 'resource_missing',
    message: `No such ${what}: '${id}'`,
    param,
  });
}

export function unknownParameters(names: string[]): ApiError {
  const noun = names.length === 1 ? 'parameter' : 'parameters';
  const message = `Received unknown ${noun}: ${names.join(', ')}`;
  return invalid(400, { code: 'parameter_unknown', message, param: names[0] ?? '' }, false);
}

export function missingParameter(param: string): ApiError {
  return invalid(
    400,
    { code: 'parameter_missing', message: `Missing required param: ${param}.`, param },
    false,
  );
}

export function invalidParameter(param: string, message: string, code?: ErrorFields['code']): ApiError {
  return invalid(400, { ...(code ? { code } : {}), message, param }, false);
}

export function invalidState(message: string, fields: Pick<ErrorFields, 'code' | 'param'> = {}): ApiError {
  return invalid(400, { ...fields, message });
}

export function unknownUrl(method: string, path: string): ApiError {
  const message = `Unrecognized request URL (${method}: ${path}). Please see https://stripe.com/docs or we can help at https://support.stripe.com/.`;
  return invalid(404, { message }, false);
}

export function unauthenticated(message: string): ApiError {
  return invalid(401, { message }, false);
}

export function permissionMissing(): ApiError {
  const message = 'The provided key does not have the required permissions for this endpoint.';
  return invalid(403, { message }, false);
}

/** What the account is not set up for. */
export function accountRefused(): ApiError {
  return invalid(400, { message: 'Your account cannot save payment methods at the moment.' });
}

export function secretKeyRequired(): ApiError {
  const message =
    'This API call cannot be made with a publishable API key. Please use a secret API key. You can find a list of your API keys at https://dashboard.stripe.com/account/apikeys.';
  return invalid(403, { code: 'secret_key_required', message }, false);
}

export function keyUsedForOther(message: string): ApiError {
  return new ApiError(400, { type: 'idempotency_error', message }, false);
}

export function keyInUse(key: string): ApiError {
  const message = `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`;
  return new ApiError(409, { type: 'invalid_request_error', code: 'idempotency_key_in_use', message }, false);
}

export function rateLimited(): ApiError {
  const message =
    'Request rate limit exceeded. Learn more about rate limits here https://stripe.com/docs/rate-limits.';
  return new ApiError(429, { type: 'invalid_request_error', code: 'rate_limit', message }, false);
}

export function providerFailure(): ApiError {
  const message =
    'Sorry! There was an error while talking to one of our backends. Support has been notified.';
  return new ApiError(500, { type: 'api_error', message });
}

/** A 402 about the card itself. */
export function cardError(fields: Omit<ErrorFields, 'type'>): ApiError {
  return new ApiError(402, { type: 'card_error', ...fields });
}
