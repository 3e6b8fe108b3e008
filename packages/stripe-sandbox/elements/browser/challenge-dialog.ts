/** The bank's challenge over the page: a modal dialog with a frame of the sandbox's origin. */
import { sandboxOrigin } from './frame-host.ts';
import { CHALLENGE_FRAME_PATH } from './protocol.ts';

/**
 * @param clientSecret of a setup intent that requires an action
 * @returns when the challenge has ended; to close it is to abandon it
 */
export function showChallenge(clientSecret: string): Promise<void> {
  const dialog = document.createElement('dialog');
  const frame = document.createElement('iframe');
  frame.src = sandboxOrigin + CHALLENGE_FRAME_PATH;
  dialog.ariaLabel = 'Card confirmation';
  frame.title = 'Secure 3D Secure authentication frame';
  Object.assign(dialog.style, {
    ...{
      width: 'min(400px, calc(100vw - 32px))',
      height: 'min(400px, calc(100dvh - 32px))',
      padding: '0',
      border: '0',
    },
    ...{ borderRadius: '10px', overflow: 'hidden', boxShadow: '0 8px 40px rgb(0 0 0 / 40%)' },
    ...{ background: 'transparent', colorScheme: 'normal' },
    // A page's reset may have removed the browser's own centering.
    ...{ position: 'fixed', inset: '0', margin: 'auto' },
  });
  Object.assign(frame.style, { display: 'block', width: '100%', height: '100%', border: '0' });
  dialog.append(frame);
  document.body.append(dialog);
  const { port1: port, port2 } = new MessageChannel();
  frame.addEventListener('load', () => {
    frame.contentWindow?.postMessage({ kind: 'challenge', clientSecret }, sandboxOrigin, [port2]);
  });
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
