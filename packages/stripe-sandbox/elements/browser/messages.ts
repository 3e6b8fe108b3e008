/** What a page and a card field's frame say to each other over their own channel. No card detail is ever in it. */
import type { StripeElementStyle, Token } from '@stripe/stripe-js';

export type FieldType = 'cardNumber' | 'cardExpiry' | 'cardCvc';

export type FieldError = { type: 'validation_error'; code: string; message: string };

export type FieldOptions = { style?: StripeElementStyle; placeholder?: string; disabled?: boolean };

export type FieldState = {
  empty: boolean;
  complete: boolean;
  error: FieldError | undefined;
  /** Of the number field only. */
  brand?: string;
};

export type TokenResult = { token: Token } | { error: { type: string; code?: string; message?: string } };

export type ToFrame =
  | { kind: 'start'; group: string; options: FieldOptions }
  | { kind: 'update'; options: FieldOptions }
  | { kind: 'focus' }
  | { kind: 'blur' }
  | { kind: 'clear' }
  | { kind: 'tokenize'; id: number; key: string; data: Record<string, string> };

export type FromFrame =
  | { kind: 'ready' }
  | { kind: 'height'; heightPx: number }
  | { kind: 'change'; state: FieldState }
  | { kind: 'focus' }
  | { kind: 'blur' }
  | { kind: 'escape' }
  | { kind: 'submit' }
  | { kind: 'tokenized'; id: number; result: TokenResult };
