import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import path from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { judgeClientAddresses } from '#src/api/client-address.ts';
import { handleApiRequest, isApiPath, refuseUnreadable } from '#src/api/router.ts';
import type { Services } from '#src/api/services.ts';
import { acceptFirst } from './accept-first.ts';
import { bufferHtml } from './buffer-html.ts';
import { StartError } from './cli-output.ts';
import { compress } from './compression.ts';
import { withErrorMessage } from './error-page.ts';
import { limitConcurrency } from './limit-concurrency.ts';
import { logPages } from './log-pages.ts';
import { compose, type Middleware } from './middleware.ts';
import { refuseUnparsed, requireHost } from './parse-errors.ts';
import { portSentence } from './ports.ts';
import { staticFiles } from './static-files.ts';

export type Host = {
  /** Lets requests in flight finish, up to `timeoutMs`, and accepts no new ones. */
  close: (timeoutMs: number) => Promise<void>;
};

const checkout = path.join(import.meta.dirname, '..', '..');

/** Most load balancers keep idle connections for up to a minute, and the side that closes first must not be ours. */
const keepAliveTimeoutMs = 75_000;
const headersTimeoutMs = 20_000;
const requestTimeoutMs = 60_000;
/** How late the two timeouts above can be noticed. */
const timeoutCheckIntervalMs = 5_000;
/** Connections that wait to be accepted; Node's own 511 are fewer than the system allows. */
const listenBacklog = 4096;
/** What is rendered in well under a second. */
const pagesMax = 64;

/** One server for pages and API: in development everything is Next's, for its hot reload. */
export async function startHost(services: Services, isDevelopment: boolean): Promise<Host> {
  const { HOST, PORT, TRUST_PROXY } = services.settings;
  judgeClientAddresses(TRUST_PROXY, services.log);
  const server = createServer({
    keepAliveTimeout: keepAliveTimeoutMs,
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: timeoutCheckIntervalMs,
    // `requireHost` responds with a body, where Node would not.
    requireHostHeader: false,
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('clientError', (error, socket) => void refuseUnparsed(error, socket));
  const { default: next } = await import('next');
  const app = next({
    dev: isDevelopment,
    dir: checkout,
    hostname: HOST,
    port: PORT,
    httpServer: server,
    quiet: true,
  });
  await app.prepare();
  const pipeline = isDevelopment
    ? [requireHost]
    : [
        acceptFirst(server),
        requireHost,
        serveApi(),
        staticFiles(path.join(checkout, '.next')),
        logPages(services.log),
        limitConcurrency(pagesMax, services.isReadQueueFull),
        compress,
        bufferHtml(withErrorMessage),
      ];
  const listener = compose(pipeline, app.getRequestHandler());
  server.on('request', listener);
  // An unknown `Expect` may be ignored (RFC 9110, section 10.1.1), where Node would send 417 without a body.
  server.on('checkExpectation', listener);
  await listen(server, HOST, PORT);
  return {
    close: async (timeoutMs) => {
      await closeServer(server, sockets, isDevelopment ? 0 : timeoutMs);
      await app.close();
    },
  };
}

/** The API without Next's router in between. */
function serveApi(): Middleware {
  // By the adapter's default, the global Request and Response are its own from here on: a response of ours is then
  // written as it is, where the web's own classes make a stream of it first. Next was loaded before and keeps its own.
  // Only a request that cannot be read gets to the error handler, because the router turns failures into responses.
  const api = getRequestListener(handleApiRequest, {
    hostname: 'localhost',
    errorHandler: () => refuseUnreadable(),
  });
  return (request, response, next) =>
    isApiPath(pathOf(request.url ?? '/')) ? api(request, response) : next();
}

function pathOf(url: string): string {
  if (url.startsWith('/')) return url.split(/[?#]/, 1)[0] ?? '/';
  return URL.canParse(url) ? new URL(url).pathname : '/';
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new StartError(portSentence(error.code ?? error.message, host, port, 'PORT'))),
    );
    server.listen(port, host, listenBacklog, resolve);
  });
}

async function closeServer(server: Server, sockets: Set<Socket>, timeoutMs: number): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  // The server forgets sockets that were upgraded (a browser's, for hot reload), and yet waits for them.
  const timer = setTimeout(() => {
    for (const socket of sockets) socket.destroy();
  }, timeoutMs);
  await closed;
  clearTimeout(timer);
}
