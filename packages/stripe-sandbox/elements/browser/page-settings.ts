/** Where the frames are: on the origin that this script came from. */
const { currentScript } = document;

export const sandboxOrigin =
  currentScript instanceof HTMLScriptElement ? new URL(currentScript.src).origin : window.location.origin;

export const connectTimeoutMs = 10_000;

export const frameTitles = {
  cardNumber: 'Secure card number input frame',
  cardExpiry: 'Secure expiration date input frame',
  cardCvc: 'Secure CVC input frame',
};

/** For the page to show next to the form. */
export const notice = 'This form is a stand-in for the card provider. It takes test card numbers only.';
