/** The bank's page in the challenge frame. */
import { CHALLENGE_PATH, isFromPage } from './protocol.ts';

const buttons = [...document.querySelectorAll('button')];
const status = document.querySelector('output');

/** @param result one of `ACTION_RESULTS`; the buttons' values */
async function end(clientSecret: string, port: MessagePort, result: string): Promise<void> {
  for (const button of buttons) button.disabled = true;
  const body = new URLSearchParams({ client_secret: clientSecret, result });
  try {
    await fetch(CHALLENGE_PATH, { method: 'POST', body, credentials: 'omit' });
    port.postMessage('ended');
  } catch {
    for (const button of buttons) button.disabled = false;
    if (status) status.value = 'The bank could not be reached. Try again.';
  }
}

window.addEventListener('message', (event: MessageEvent<{ kind: string; clientSecret: string }>) => {
  const [port] = event.ports;
  if (!isFromPage(event) || !port || event.data.kind !== 'challenge') return;
  const { clientSecret } = event.data;
  for (const button of buttons)
    button.addEventListener('click', () => void end(clientSecret, port, button.value));
  port.onmessage = () => void end(clientSecret, port, 'abandoned');
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') void end(clientSecret, port, 'abandoned');
  });
  document.querySelector('h1')?.focus();
  port.postMessage('ready');
});
