/** Starts the sandbox: Stripe's API, the card fields, and webhooks on one loopback origin. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { invalidRequest, unknownUrl } from './api/errors.ts';
import { type Context, handleApi } from './api/handler.ts';
import { ACTION_RESULTS, finishAction } from './api/setup-intent-objects.ts';
import { handleControl } from './control.ts';
import { createAssets } from './elements/assets.ts';
import { CHALLENGE_PATH } from './elements/browser/protocol.ts';
import { isWelcome, readBody, send, sendJson } from './http.ts';
import { Store } from './state/store.ts';
import { Deliveries, type WebhookTarget } from './webhooks.ts';

export { SCRIPT_PATH } from './elements/browser/protocol.ts';

export type SandboxOptions = {
  host: string;
  /** 0 for any free port. */
  port: number;
  /** SQLite file with the sandbox's state. */
  dataFile: string;
  /** Origins whose pages may frame the card fields, besides `localhost` and `127.0.0.1` with any port. */
  pageOrigins: string[];
  /** `sk_test_…` and `pk_test_…`, the only keys that the sandbox accepts. */
  secretKey: string;
  publishableKey: string;
  webhook?: WebhookTarget;
  /** Called with internal errors. They hold no card details. */
  onError?: (error: unknown) => void;
};

export type Sandbox = { origin: string; port: number; close(): Promise<void> };

/**
 * @returns once the sandbox listens
 * @throws Error for keys that are not test keys; a system error such as `EADDRINUSE` when it cannot listen
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { secretKey, publishableKey } = options;
  if (!secretKey.startsWith('sk_test_') || !publishableKey.startsWith('pk_test_'))
    throw new Error('The sandbox accepts only test keys: sk_test_… and pk_test_….');
  const store = new Store(options.dataFile);
  const deliveries = new Deliveries(store, options.webhook ?? null, (error) => options.onError?.(error));
  const keys = { secretKey, publishableKey };
  const serve = route({ store, keys, deliveries }, options.pageOrigins);
  const server = createServer((request, response) => {
    serve(request, response).catch((error) => {
      options.onError?.(error);
      if (!response.headersSent) sendJson(response, 500, { error: { type: 'api_error' } });
    });
  });
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(options.port, options.host, resolve);
    });
  } catch (error) {
    store.close();
    throw error;
  }
  deliveries.run();
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : options.port;
  return { origin: `http://${options.host}:${port}`, port, close };

  async function close(): Promise<void> {
    deliveries.close();
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
    store.close();
  }
}

const notWelcome = invalidRequest(403, {
  message: 'The sandbox serves its own pages and local programs only.',
});

function route(context: Context, pageOrigins: string[]) {
  let assets: ReturnType<typeof createAssets> | undefined;
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = URL.parse(request.url ?? '/', 'http://sandbox');
    if (url === null || !isWelcome(request, pageOrigins)) return sendJson(response, 403, notWelcome.body);
    if (url.pathname.startsWith('/v1/')) return handleApi(context, request, response, url);
    if (url.pathname === '/_sandbox/health') return sendJson(response, 200, { ok: true });
    if (url.pathname.startsWith('/_sandbox/')) return handleControl(context, request, response, url);
    if (url.pathname === CHALLENGE_PATH && request.method === 'POST')
      return handleChallenge(context, request, response);
    assets ??= createAssets(pageOrigins);
    const asset = assets.get(url.pathname);
    if (asset && request.method === 'GET') return send(response, 200, asset.body, asset.headers);
    const { status, body } = unknownUrl(request.method ?? 'GET', url.pathname);
    sendJson(response, status, body);
  };
}

/**
 * The bank behind the challenge frame takes the cardholder's decision. The client secret is the permission. A repeated
 * result changes nothing.
 */
async function handleChallenge(
  { store, deliveries }: Context,
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
  deliveries.run();
  sendJson(response, isFound ? 200 : 404, { done: isFound });
}
