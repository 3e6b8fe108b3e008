import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import path from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { judgeClientAddresses } from '#src/api/client-address.ts';
import { handleApiRequest, isApiPath, refuseUnreadable } from '#src/api/router.ts';
import type { Services } from '#src/api/services.ts';
import { afterArrivals } from './accept-first.ts';
import { inOnePiece } from './buffer-html.ts';
import { StartError } from './cli-output.ts';
import { compressed } from './compression.ts';
import { withWordsOnFailure } from './error-page.ts';
import { compressedOnce } from './immutable-compression.ts';
import { atMost } from './limit-concurrency.ts';
import { logPages } from './log-pages.ts';
import { type Listener, refuseUnparsed, withHost } from './parse-errors.ts';
import { portSentence } from './ports.ts';
import { sendStaticFile } from './static-files.ts';

export type Host = {
  /** Lets requests under way finish, up to `waitMs`, and takes no new ones. */
  close: (waitMs: number) => Promise<void>;
};

const checkout = path.join(import.meta.dirname, '..', '..');

/** Most load balancers keep idle connections for up to a minute: the side that closes first must not be ours. */
const KEEP_ALIVE_MS = 75_000;
const HEADERS_MS = 20_000;
const REQUEST_MS = 60_000;
/** How late a time-out of those two may come. */
const LOOKS_FOR_LATE_ONES_MS = 5_000;
/** Callers who come all at once wait here until they are let in, as many as the system allows: Node's own 511 are fewer. */
const CALLERS_AT_THE_DOOR = 4096;
/** What is made in well under a second. */
const PAGES_AT_ONCE = 64;

/**
 * One listener for pages and API. The API's handlers are plain functions and answer here directly, past Next's router;
 * everything else is Next's. In development everything is, for its hot reload.
 */
export async function startHost(services: Services, isDevelopment: boolean): Promise<Host> {
  const { HOST, PORT, TRUST_PROXY } = services.settings;
  judgeClientAddresses(TRUST_PROXY);
  const server = createServer({
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: HEADERS_MS,
    requestTimeout: REQUEST_MS,
    connectionsCheckingInterval: LOOKS_FOR_LATE_ONES_MS,
    // Node would refuse these itself, without a word.
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
  const pages = app.getRequestHandler();
  const once = compressedOnce();
  const whole = compressed(
    inOnePiece(pages, (page, response) => once(withWordsOnFailure(page, response), response)),
  );
  const rendered = logPages(services.log, atMost(PAGES_AT_ONCE, services.isReadQueueFull, whole));
  const answer = withHost(isDevelopment ? pages : apiBefore(filesBefore(rendered)));
  server.on('request', afterArrivals(server, answer));
  // An `Expect` that is not known may be ignored, where Node would answer 417 without a body.
  server.on('checkExpectation', answer);
  await listen(server, HOST, PORT);
  return {
    close: async (waitMs) => {
      await closeServer(server, sockets, isDevelopment ? 0 : waitMs);
      await app.close();
    },
  };
}

/** The build's scripts and styles in their smallest form; what has none is Next's. */
function filesBefore(pages: Listener): Listener {
  const built = path.join(checkout, '.next');
  return async (request, response) =>
    (await sendStaticFile(built, request, response)) || pages(request, response);
}

function apiBefore(pages: Listener): Listener {
  // By the adapter's default, the global Request and Response are its own from here on: a response of ours is then
  // written as it is, where the web's own classes make a stream of it first. Next was loaded before and keeps its own.
  // Only a request that cannot be read gets to the error handler, because the router turns failures into responses.
  const api = getRequestListener(handleApiRequest, {
    hostname: 'localhost',
    errorHandler: () => refuseUnreadable(),
  });
  return (request, response) =>
    isApiPath(pathOf(request.url ?? '/')) ? api(request, response) : pages(request, response);
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
    server.listen(port, host, CALLERS_AT_THE_DOOR, resolve);
  });
}

async function closeServer(server: Server, sockets: Set<Socket>, waitMs: number): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  // The server forgets sockets that were upgraded (a browser's, for hot reload), and yet waits for them.
  const timer = setTimeout(() => {
    for (const socket of sockets) socket.destroy();
  }, waitMs);
  await closed;
  clearTimeout(timer);
}
