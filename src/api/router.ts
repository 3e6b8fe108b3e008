import { cspReportPath, receiveCspReport } from './csp-report.ts';
import type { ApiRequest, HttpResponse } from './messages.ts';
import type { ApiResponse, Next, RequestContext } from './operation.ts';
import { operations } from './operations/index.ts';
import { endpoint, handlerOf } from './pipeline.ts';
import { HttpProblem } from './problems.ts';
import { pathOf, requestIdOf } from './request-log.ts';
import { toResponse } from './response.ts';
import { services } from './services.ts';
import { receiveStripeEvent } from './stripe-webhook.ts';

type Route = { methods: Map<string, Next>; otherwise: Next };
type Match = { route: Route; pathParams: Record<string, string> };

/** The published prefixes of one API; an operation's own path says which is canonical for it. */
const prefixes = ['/api/schedule/v1', '/schedule/v1', '/api/v1'] as const;
const restOf = (path: string) => path.replace(/^(\/api)?\/schedule\/v1/, '');

/** @returns the path of an operation with each prefix, including its own */
export function pathsOf(path: string): string[] {
  return prefixes.map((prefix) => prefix + restOf(path));
}

const staticRoutes = new Map<string, Route>();
const parameterRoutes: { pattern: RegExp; route: Route }[] = [];
const noRoute: Route = { methods: new Map(), otherwise: refusing(new HttpProblem('not_found')) };

addOperations();
addRoute('/api/health/live', [['GET', endpoint('health.live', async () => live)]]);
addRoute('/api/health/ready', [['GET', endpoint('health.ready', ready)]]);
addRoute('/api/webhooks/stripe', [['POST', endpoint('stripeWebhook', receiveStripeEvent)]]);
addRoute(cspReportPath, [['POST', endpoint('cspReport', receiveCspReport)]]);

/** Whether a path belongs to the API, which then responds with JSON even if the path does not exist. */
export function isApiPath(pathname: string): boolean {
  return /^\/(api|schedule)(\/|$)/i.test(pathname);
}

export type RequestHandler = (request: Request) => Promise<Response>;

/** `respond` for the web's classes. */
export const handleApiRequest: RequestHandler = async (request) => {
  const { body, ...init } = await respond(request);
  return new Response(body, init);
};

/** Responds to every request for an API path. Does not throw. */
export function respond(request: ApiRequest): Promise<HttpResponse> {
  const { route, pathParams } = matchPath(pathOf(request.url));
  return respondWith(route.methods.get(request.method) ?? route.otherwise, request, pathParams);
}

async function respondWith(
  handler: Next,
  request: ApiRequest,
  pathParams: Record<string, string> = {},
): Promise<HttpResponse> {
  const context = {
    services: services(),
    request,
    requestId: requestIdOf(request.headers),
    startedAt: performance.now(),
    pathParams,
    responseHeaders: {},
    log: { providerRequests: [] },
  };
  return toResponse(await handler(context), context);
}

/**
 * Next removes `Content-Encoding` from the responses of route handlers, so a client would take a compressed body for a plain one.
 * Delete when Next keeps the header (e2e/api/parity.spec.ts).
 */
const respondUncompressed: RequestHandler = (request) => {
  request.headers.delete('accept-encoding');
  return handleApiRequest(request);
};

/** Every method that Next can route. */
const nextMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** Route handlers for Next, for all of them, so that only the API responds. */
export const nextHandlers = Object.fromEntries(
  nextMethods.map((method) => [method, respondUncompressed]),
) as Record<(typeof nextMethods)[number], RequestHandler>;

/** Refuses a request before its path is matched. */
export function refuseUnrouted(problem: HttpProblem, request: ApiRequest): Promise<HttpResponse> {
  return respondWith(refusing(problem), request);
}

function refusing(problem: HttpProblem): Next {
  return endpoint(problem.code, async () => {
    throw problem;
  });
}

const live = { status: 200, body: '{"status":"ok"}' };

/** Ready if the service is not stopping, and requests would not fail because of the database. */
async function ready({ services }: RequestContext): Promise<ApiResponse> {
  const { checkReadiness, settings, stopping } = services;
  try {
    if (stopping.signal.aborted) throw new Error('The service is stopping.');
    await checkReadiness();
  } catch (cause) {
    throw new HttpProblem('unavailable', { cause });
  }
  return { status: 200, body: JSON.stringify({ status: 'ok', mode: settings.mode }) };
}

function addOperations(): void {
  const byPath = Map.groupBy(operations, ({ path }) => restOf(path));
  for (const [path, group] of byPath) {
    const handlers = group.map((operation): [string, Next] => [operation.method, handlerOf(operation)]);
    for (const prefix of prefixes) addRoute(prefix + path, handlers);
  }
}

function addRoute(path: string, handlers: [string, Next][]): void {
  const methods = new Map(handlers);
  const get = methods.get('GET');
  if (get) methods.set('HEAD', get);
  const Allow = [...methods.keys(), 'OPTIONS'].join(', ');
  methods.set(
    'OPTIONS',
    endpoint('options', async () => ({ status: 204, body: '', headers: { Allow } })),
  );
  const otherwise = refusing(new HttpProblem('method_not_allowed', { headers: { Allow } }));
  const route = { methods, otherwise };
  const pattern = path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  if (pattern === path) staticRoutes.set(path, route);
  else parameterRoutes.push({ pattern: new RegExp(`^${pattern}$`), route });
}

/** Paths match exactly: case-sensitive, not decoded, without a trailing slash. Only parameters are decoded. */
function matchPath(pathname: string): Match {
  const route = staticRoutes.get(pathname);
  if (route) return { route, pathParams: {} };
  for (const { pattern, route } of parameterRoutes) {
    const { groups } = pattern.exec(pathname) ?? {};
    if (!groups) continue;
    const decoded = Object.entries(groups).map(([name, segment]) => [name, decode(segment)]);
    return { route, pathParams: Object.fromEntries(decoded) };
  }
  return { route: noRoute, pathParams: {} };
}

/** Invalid percent-encoding is left for the parameter's schema to reject. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return '';
  }
}
