/** Where pages load the stand-in's script from, below its origin. */
export const SCRIPT_PATH = '/endive/stripe.js';

/** Where the frame of each card field is, below the same origin. */
export const FRAME_PATHS = {
  cardNumber: '/elements/card-number.html',
  cardExpiry: '/elements/card-expiry.html',
  cardCvc: '/elements/card-cvc.html',
} as const;
