/** The test wallet's sheet, which a real wallet shows outside of the page. It knows test cards only, so it needs no frame. */

/** What the sheet offers, with the sandbox's test token of each card. */
export const WALLET_CARDS = [
  { label: 'Visa •••• 4242, Apple Pay', type: 'apple_pay', token: 'tok_visa_applePay' },
  {
    label: 'Declined Visa •••• 0002, Apple Pay',
    type: 'apple_pay',
    token: 'tok_visa_applePayChargeDeclined',
  },
  {
    label: 'Visa •••• 3155 with 3-D Secure, Google Pay',
    type: 'google_pay',
    token: 'tok_visa_googlePayAuthenticationRequired',
  },
] as const;
export type WalletCard = (typeof WALLET_CARDS)[number];

/** @returns the chosen card, null if the sheet was closed */
export function showWalletSheet(): Promise<WalletCard | null> {
  const dialog = document.createElement('dialog');
  dialog.ariaLabel = 'Test wallet';
  Object.assign(dialog.style, {
    ...{ width: 'min(400px, calc(100vw - 32px))', padding: '24px', border: '0', borderRadius: '10px' },
    ...{ boxShadow: '0 8px 40px rgb(0 0 0 / 40%)', font: '15px / 1.5 system-ui, sans-serif' },
    ...{ colorScheme: 'light dark', background: 'Canvas', color: 'CanvasText' },
    // A page's reset may have removed the browser's own centering.
    ...{ position: 'fixed', inset: '0', margin: 'auto' },
  });
  return new Promise((resolve) => {
    const end = (card: WalletCard | null) => {
      dialog.remove();
      resolve(card);
    };
    const note = document.createElement('p');
    note.textContent = 'This is a sandbox. Choose a test card.';
    Object.assign(note.style, { margin: '0 0 12px' });
    const cards = WALLET_CARDS.map((card) => walletButton(card.label, () => end(card)));
    dialog.append(
      note,
      ...cards,
      walletButton('Cancel', () => end(null)),
    );
    dialog.addEventListener('cancel', () => end(null));
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** A button of the sandbox's in the page. */
export function walletButton(label: string, onClick: () => void): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = label;
  Object.assign(button.style, {
    ...{ display: 'block', width: '100%', minHeight: '44px', marginTop: '8px', padding: '0 16px' },
    ...{ border: '1px solid currentColor', borderRadius: '6px', font: 'inherit', cursor: 'pointer' },
    ...{ background: 'transparent', color: 'inherit' },
  });
  button.addEventListener('click', onClick);
  return button;
}
