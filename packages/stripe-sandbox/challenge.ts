/** The bank behind the challenge frame: it takes the cardholder's decision. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ACTION_RESULTS, finishAction } from './api/setup-intent-objects.ts';
import { readBody, sendJson } from './http.ts';
import type { Store } from './state/store.ts';

/** Handles `POST /challenge`. The client secret is the permission. A repeated result changes nothing. */
export async function handleChallenge(
  { store, afterChange }: { store: Store; afterChange: () => void },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const fields = new URLSearchParams(await readBody(request));
  const secret = fields.get('client_secret') ?? '';
  const result = ACTION_RESULTS.find((known) => known === fields.get('result'));
  const isFound = store.transaction(() => {
    const intent = store.find('setup_intent', secret.split('_secret_')[0] ?? '')?.object;
    if (intent?.client_secret !== secret || !result) return false;
    if (intent.status === 'requires_action') finishAction(store, intent, result);
    return true;
  });
  afterChange();
  sendJson(response, isFound ? 200 : 404, { done: isFound });
}
