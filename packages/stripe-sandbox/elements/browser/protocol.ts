/** Paths of the sandbox's origin, and the messages between a page and its frames. No message holds card details. */
import type { StripeElementStyle, Token } from '@stripe/stripe-js';

/** The script that pages load. */
export const SCRIPT_PATH = '/endive/stripe.js';

/** The card fields, each with the path and the title of its frame. */
export const FIELDS = {
  cardNumber: {
    path: '/elements/card-number.html',
    title: 'Secure card number input frame',
    label: 'Credit or debit card number',
    placeholder: '1234 1234 1234 1234',
    name: 'cardnumber',
    autocomplete: 'cc-number',
  },
  cardExpiry: {
    path: '/elements/card-expiry.html',
    title: 'Secure expiration date input frame',
    label: 'Credit or debit card expiration date',
    placeholder: 'MM / YY',
    name: 'exp-date',
    autocomplete: 'cc-exp',
  },
  cardCvc: {
    path: '/elements/card-cvc.html',
    title: 'Secure CVC input frame',
    label: 'Credit or debit card CVC/CVV',
    placeholder: 'CVC',
    name: 'cvc',
    autocomplete: 'cc-csc',
  },
};

/** Where the bank's challenge frame comes from, and where it posts the decision. */
export const CHALLENGE_FRAME_PATH = '/elements/challenge.html';
export const CHALLENGE_PATH = '/challenge';

export type FieldType = keyof typeof FIELDS;

export type FieldError = { type: 'validation_error'; code: string; message: string };

export type FieldOptions = { style?: StripeElementStyle; placeholder?: string; disabled?: boolean };

export type FieldState = {
  empty: boolean;
  complete: boolean;
  error: FieldError | undefined;
  /** Set by the number field only. */
  brand?: string;
};

export type ApiError = { type: string; code?: string; message?: string };
export type TokenResult = { token: Token } | { error: ApiError };

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

export const LOOPBACK_ORIGIN = /^https?:\/\/(localhost|127\.0\.0\.1)(:\d+)?$/;

/** Whether a message to a frame comes from the page around it. Any page on this computer may use the sandbox, so that people can try forms of their own. */
export function isFromPage({ source, origin }: MessageEvent): boolean {
  const pageOrigins = document.querySelector<HTMLMetaElement>('meta[name="page-origins"]')?.content ?? '';
  return (
    source === window.parent && (LOOPBACK_ORIGIN.test(origin) || pageOrigins.split(' ').includes(origin))
  );
}
