/** Stripe's error responses: HTTP status, `type`, `code`, `param`, and the messages integrations know. */
import type { Stripe } from 'stripe';
import type { FaultKind } from '../state/faults.ts';

/** The SDK's type of the error on a setup intent. */
export type ErrorFields = Stripe.SetupIntent.LastSetupError;

/** An error response. Thrown by an operation, it undoes the operation's writes. */
export class StripeApiError extends Error {
  override name = 'StripeApiError';
  readonly status: number;
  readonly body: { error: ErrorFields };
  /** False if the request was refused before the operation ran, so that its idempotency key stays unused. */
  readonly isStored: boolean;

  constructor(status: number, fields: ErrorFields, isStored = true) {
    super(fields.message);
    this.status = status;
    this.body = { error: fields.code ? { doc_url: docUrl(fields.code), ...fields } : fields };
    this.isStored = isStored;
  }
}

export function docUrl(code: string): string {
  return `https://stripe.com/docs/error-codes/${code.replaceAll('_', '-')}`;
}

export function invalidRequest(
  status: number,
  fields: Omit<ErrorFields, 'type'>,
  isStored = false,
): StripeApiError {
  return new StripeApiError(status, { type: 'invalid_request_error', ...fields }, isStored);
}

/** @param what Stripe's noun, such as `customer` @param isInPath 404 for an ID in the path, 400 for a parameter */
export function missing(what: string, id: string, param: string, isInPath: boolean): StripeApiError {
  const message = `No such ${what}: '${id}'`;
  return invalidRequest(isInPath ? 404 : 400, { code: 'resource_missing', message, param }, true);
}

export function invalidParameter(param: string, message: string, code?: ErrorFields['code']): StripeApiError {
  return invalidRequest(400, { ...(code && { code }), message, param });
}

export function invalidState(
  message: string,
  fields: Pick<ErrorFields, 'code' | 'param' | 'setup_intent'> = {},
): StripeApiError {
  return invalidRequest(400, { ...fields, message }, true);
}

export function unknownUrl(method: string, path: string): StripeApiError {
  const message = `Unrecognized request URL (${method}: ${path}). Please see https://stripe.com/docs or we can help at https://support.stripe.com/.`;
  return invalidRequest(404, { message });
}

export function idempotencyError(message: string): StripeApiError {
  return new StripeApiError(400, { type: 'idempotency_error', message }, false);
}

export function cardError(fields: Omit<ErrorFields, 'type'>): StripeApiError {
  return new StripeApiError(402, { type: 'card_error', ...fields });
}

export const providerFailure = new StripeApiError(500, {
  type: 'api_error',
  message: 'Sorry! There was an error while talking to one of our backends. Support has been notified.',
});

/** Of the faults that are errors of the API. */
export const FAULT_ERRORS: Partial<Record<FaultKind, StripeApiError>> = {
  400: invalidRequest(400, { message: 'Your account cannot save payment methods at the moment.' }, true),
  401: invalidRequest(401, { message: 'Expired API Key provided.' }),
  403: invalidRequest(403, {
    message: 'The provided key does not have the required permissions for this endpoint.',
  }),
  429: invalidRequest(429, {
    code: 'rate_limit',
    message:
      'Request rate limit exceeded. Learn more about rate limits here https://stripe.com/docs/rate-limits.',
  }),
  500: providerFailure,
};
