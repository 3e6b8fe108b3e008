/** Failures of the business rules. `src/api/problems.ts` maps each to an HTTP status and a public message. */
export type ErrorCode =
  | 'key_unknown'
  | 'secret_invalid'
  | 'account_disabled'
  | 'invalid_input'
  | 'token_invalid'
  | 'card_not_found'
  | 'card_in_flight'
  | 'idempotency_in_flight'
  | 'idempotency_mismatch'
  | 'provider_unavailable'
  | 'too_many_declines'
  | 'not_found'
  | 'already_exists'
  | 'refused';

/** `param` is the path to the input at fault (`card.expMonth`); `message` never repeats the input. */
export type Detail = { param: string; message: string };

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
