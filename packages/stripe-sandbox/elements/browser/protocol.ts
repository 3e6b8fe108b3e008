/** Paths of the sandbox's origin, and the messages between a page and the frame of a card field. No message holds card details. */
import type { StripeElementStyle, Token } from '@stripe/stripe-js';

/** The script that pages load. */
export const SCRIPT_PATH = '/endive/stripe.js';

export const FRAME_PATHS = {
  cardNumber: '/elements/card-number.html',
  cardExpiry: '/elements/card-expiry.html',
  cardCvc: '/elements/card-cvc.html',
} as const;

/** Where the bank's challenge frame comes from, and where it posts the decision. */
export const CHALLENGE_FRAME_PATH = '/elements/challenge.html';
export const CHALLENGE_PATH = '/challenge';

export type FieldType = keyof typeof FRAME_PATHS;

export type FieldError = { type: 'validation_error'; code: string; message: string };

export type FieldOptions = { style?: StripeElementStyle; placeholder?: string; disabled?: boolean };

export type FieldState = {
  empty: boolean;
  complete: boolean;
  error: FieldError | undefined;
  /** Set by the number field only. */
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
