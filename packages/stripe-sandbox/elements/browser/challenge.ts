/** The bank's page in the challenge frame. */
import { isFromPage } from './is-from-page.ts';
import { CHALLENGE_PATH } from './protocol.ts';

const buttons = [...document.querySelectorAll('button')];
const status = document.querySelector('output');

async function decide(clientSecret: string, port: MessagePort, succeeds: boolean): Promise<void> {
  for (const button of buttons) button.disabled = true;
  const body = new URLSearchParams({ client_secret: clientSecret, succeeds: String(succeeds) });
  try {
    await fetch(CHALLENGE_PATH, { method: 'POST', body, credentials: 'omit' });
    port.postMessage('decided');
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
    button.addEventListener('click', () => void decide(clientSecret, port, button.value === 'complete'));
  port.onmessage = () => void decide(clientSecret, port, false);
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') void decide(clientSecret, port, false);
  });
  document.querySelector('h1')?.focus();
  port.postMessage('ready');
});
