import { createServer } from 'node:http';
import path from 'node:path';
import { trustProxies } from '#src/api/client-address.ts';
import type { Services } from '#src/api/services.ts';
import { acceptFirst } from './accept-first.ts';
import { startBackgroundJobs } from './background-jobs.ts';
import { checkPageRequest, checkTarget, secureHeaders } from './check-request.ts';
import { type Connections, trackConnections } from './connections.ts';
import { addErrorMessage, sendUnavailable } from './error-page.ts';
import { limitRenders } from './limit-renders.ts';
import { compose, compress, logPages, type Middleware, rewriteHtml } from './middleware.ts';
import { type PageActions, readPageActions } from './page-actions.ts';
import { holdScripts } from './paint-first.ts';
import { refuseConnect, refuseUnparsed } from './parse-errors.ts';
import { listen } from './ports.ts';
import { receiveForm } from './receive-form.ts';
import { serveApi } from './serve-api.ts';
import { staticFiles } from './static-files.ts';

const checkout = path.join(import.meta.dirname, '..', '..');
const nextFolder = path.join(checkout, '.next');

/** Most load balancers keep idle connections for up to a minute, and the side that closes first must not be ours. */
const keepAliveTimeoutMs = 75_000;
const headersTimeoutMs = 20_000;
const requestTimeoutMs = 60_000;
/** How often Node.js checks the two timeouts above. */
const timeoutCheckIntervalMs = 5_000;
/** The accept backlog; Node's default of 511 is less than the system allows. */
const listenBacklog = 4096;
/** With the time to close the pools, less than the 10 seconds after which Docker kills a container. */
const requestsMs = 7_000;
/** An office that shares an address opens more than a share at once, because each page prefetches its links. */
const renders = { pagesMax: 64, shareMax: 16, waitMs: 2_000, renderMaxMs: 10_000 };

/**
 * Serves requests in this process and runs the background jobs.
 * @returns a function that stops both, after the requests in flight
 */
export async function serve(services: Services, isDevelopment: boolean): Promise<() => Promise<void>> {
  const { settings } = services;
  const tracing = settings.OTEL_EXPORTER_OTLP_ENDPOINT
    ? (await import('./tracing.ts')).startTracing(settings)
    : undefined;
  const close = await startHost(services, isDevelopment, tracing?.middleware);
  const stopBackgroundJobs = startBackgroundJobs(services);
  return async () => {
    stopBackgroundJobs();
    await close({ drainMs: settings.DRAIN_SECONDS * 1_000, requestsMs });
    await tracing?.close();
  };
}

/** One server for pages and API. In development, Next serves everything for its hot reload. */
async function startHost(
  services: Services,
  isDevelopment: boolean,
  traceRequest?: Middleware,
): Promise<Connections['close']> {
  const { HOST, PORT, TRUST_PROXY, publicUrl } = services.settings;
  trustProxies(TRUST_PROXY, services.log);
  const server = createServer({
    keepAliveTimeout: keepAliveTimeoutMs,
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: timeoutCheckIntervalMs,
    // Node would respond without a body; `checkTarget` sends one.
    requireHostHeader: false,
    // An offer to upgrade may be ignored (RFC 9110, section 7.8), and Next would leave it without a response. In
    // development, the connection of its hot reload is one. Delete when Next responds to every offer.
    ...(!isDevelopment && { shouldUpgradeCallback: () => false }),
  });
  const connections = trackConnections(server, services.stopping);
  server.on('clientError', refuseUnparsed);
  server.on('connect', refuseConnect);
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
  // In development, Next builds them when they are first used.
  const actions: PageActions = isDevelopment ? new Map() : readPageActions(nextFolder);
  const pipeline = isDevelopment
    ? [checkTarget(publicUrl)]
    : [
        connections.middleware,
        acceptFirst(server, services.log),
        checkTarget(publicUrl),
        ...(traceRequest ? [traceRequest] : []),
        serveApi(),
        secureHeaders(publicUrl),
        checkPageRequest(actions),
        staticFiles(nextFolder, services.log),
        receiveForm(actions),
        logPages(services),
        limitRenders(renders),
        compress,
        rewriteHtml(addErrorMessage, holdScripts),
        sendUnavailable(services),
      ];
  const listener = compose(pipeline, app.getRequestHandler());
  server.on('request', listener);
  // An unknown `Expect` may be ignored (RFC 9110, section 10.1.1); Node would send 417 without a body.
  server.on('checkExpectation', listener);
  await listen(server, { host: HOST, port: PORT, backlog: listenBacklog }, 'PORT');
  return async (times) => {
    await connections.close(isDevelopment ? { drainMs: 0, requestsMs: 0 } : times);
    await app.close();
  };
}
