import type { FieldError } from './messages.ts';

/** What a field makes of its content. */
export type FieldReading = {
  /** As it is shown. */
  text: string;
  digits: string;
  empty: boolean;
  complete: boolean;
  /** Wrong already while the person types. */
  error: FieldError | undefined;
  /** Wrong once they leave the field, or ask for a token. */
  unfinished: FieldError | undefined;
  brand?: string;
};

export function fieldError(code: string, message: string): FieldError {
  return { type: 'validation_error', code, message };
}
