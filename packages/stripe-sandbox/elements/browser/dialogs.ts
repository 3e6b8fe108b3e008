/** What the sandbox shows over a page: the bank's challenge, and the test wallet's sheet. */
import { sandboxOrigin } from './frame-host.ts';
import { CHALLENGE_FRAME_PATH } from './protocol.ts';

function newDialog(label: string, style: object, ...children: Node[]): HTMLDialogElement {
  const dialog = document.createElement('dialog');
  dialog.ariaLabel = label;
  Object.assign(dialog.style, {
    ...{ width: 'min(400px, calc(100vw - 32px))', border: '0', borderRadius: '10px' },
    boxShadow: '0 8px 40px rgb(0 0 0 / 40%)',
    // A page's reset may have removed the browser's own centering.
    ...{ position: 'fixed', inset: '0', margin: 'auto' },
    ...style,
  });
  dialog.append(...children);
  document.body.append(dialog);
  return dialog;
}

/**
 * A modal dialog with a frame of the sandbox's origin.
 * @param clientSecret of a setup intent that requires an action
 * @returns when the challenge has ended; to close it is to abandon it
 */
export function showChallenge(clientSecret: string): Promise<void> {
  const frame = document.createElement('iframe');
  frame.src = sandboxOrigin + CHALLENGE_FRAME_PATH;
  frame.title = 'Secure 3D Secure authentication frame';
  Object.assign(frame.style, { display: 'block', width: '100%', height: '100%', border: '0' });
  const { port1: port, port2 } = new MessageChannel();
  frame.addEventListener('load', () => {
    frame.contentWindow?.postMessage({ kind: 'challenge', clientSecret }, sandboxOrigin, [port2]);
  });
  const style = {
    ...{ height: 'min(400px, calc(100dvh - 32px))', padding: '0', overflow: 'hidden' },
    ...{ background: 'transparent', colorScheme: 'normal' },
  };
  const dialog = newDialog('Card confirmation', style, frame);
  dialog.showModal();
  frame.focus();
  return new Promise((resolve) => {
    const end = () => {
      port.close();
      dialog.close();
      dialog.remove();
      resolve();
    };
    let isReady = false;
    port.onmessage = ({ data }) => {
      if (data === 'ended') end();
      isReady = true;
    };
    // Escape in the page. The frame tells the bank, unless it did not load.
    dialog.addEventListener('cancel', (event) => {
      event.preventDefault();
      if (isReady) port.postMessage('close');
      else end();
    });
  });
}

/** What the sheet offers, with the sandbox's test token of each card. */
const WALLET_CARDS = [
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

/**
 * The sheet, which a real wallet shows outside of the page. It knows test cards only, so it needs no frame.
 * @returns the chosen card, null if the sheet was closed
 */
export function showWalletSheet(): Promise<WalletCard | null> {
  return new Promise((resolve) => {
    const end = (card: WalletCard | null) => {
      dialog.remove();
      resolve(card);
    };
    const note = document.createElement('p');
    note.textContent = 'This is a sandbox. Choose a test card.';
    note.style.margin = '0 0 12px';
    const cards = WALLET_CARDS.map((card) => walletButton(card.label, () => end(card)));
    const cancel = walletButton('Cancel', () => end(null));
    const style = {
      ...{ padding: '24px', font: '15px / 1.5 system-ui, sans-serif' },
      ...{ colorScheme: 'light dark', background: 'Canvas', color: 'CanvasText' },
    };
    const dialog = newDialog('Test wallet', style, note, ...cards, cancel);
    dialog.addEventListener('cancel', () => end(null));
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
