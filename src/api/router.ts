import { cspReportPath, receiveCspReport } from './csp-report.ts';
import { live, ready } from './health.ts';
import type { ApiRequest, HttpResponse } from './messages.ts';
import type { Next, Operation } from './operation.ts';
import { operations } from './operations/index.ts';
import { handlerOf } from './pipeline.ts';
import { HttpProblem } from './problems.ts';
import { requestIdOf, respondAndLog } from './request-log.ts';
import { toResponse } from './response.ts';
import { services } from './services.ts';
import { receiveStripeEvent } from './stripe-webhook.ts';

type Handler = (request: ApiRequest) => Promise<HttpResponse>;

type Route = { methods: Map<string, Next | Handler>; isOperation: boolean; allow: string };
type Match = { route: Route; pathParams: Record<string, string> };

/** The published prefixes of one API; an operation's own path says which is canonical for it. */
export const prefixes = ['/api/schedule/v1', '/schedule/v1', '/api/v1'] as const;

const staticRoutes = new Map<string, Route>();
const parameterRoutes: { segments: string[]; route: Route }[] = [];

addOperations();
addEndpoint('/api/health/live', 'GET', live);
addEndpoint('/api/health/ready', 'GET', ready);
addEndpoint('/api/webhooks/stripe', 'POST', receiveStripeEvent);
addEndpoint(cspReportPath, 'POST', receiveCspReport);

/** Whether a path belongs to the API, which then responds with JSON even if the path does not exist. */
export function isApiPath(pathname: string): boolean {
  return /^\/(api|schedule)(\/|$)/i.test(pathname);
}

export type RequestHandler = (request: Request) => Promise<Response>;

/** `respond` for the web's classes, for Next's route handlers. */
export const handleApiRequest: RequestHandler = async (request) => {
  const { body, ...init } = await respond(request);
  return new Response(body, init);
};

/** Responds to every request for an API path. Does not throw. */
export async function respond(request: ApiRequest): Promise<HttpResponse> {
  const match = matchPath(pathOf(request.url));
  if (!match) return refuse(request, new HttpProblem('not_found'));
  const { route, pathParams } = match;
  const handler = route.methods.get(request.method);
  if (!handler) return respondToMethod(request, route);
  if (!route.isOperation) return (handler as Handler)(request);
  const requestId = requestIdOf(request.headers);
  const response = await (handler as Next)({
    services: services(),
    request,
    requestId,
    startedAt: performance.now(),
    pathParams,
    responseHeaders: {},
    log: { providerRequests: [] },
  });
  return toResponse(response, requestId, request.method === 'HEAD');
}

/** Route handlers for Next, for every method it can route, so that only the API responds. */
export const nextHandlers = Object.fromEntries(
  (['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const).map((method) => [
    method,
    handleApiRequest,
  ]),
) as Record<'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS', RequestHandler>;

/** The response to a request that can't be parsed, so it has no path. */
export function refuseUnreadable(problem = new HttpProblem('request_unreadable')): HttpResponse {
  return refuse(new Request('http://localhost/'), problem);
}

function respondToMethod(request: ApiRequest, { allow }: Route): HttpResponse {
  const headers = { Allow: allow };
  if (request.method === 'OPTIONS')
    return respondAndLog(request, 'options', { status: 204, body: '', headers });
  return refuse(request, new HttpProblem('method_not_allowed', { headers }));
}

function refuse(request: ApiRequest, problem: HttpProblem): HttpResponse {
  return respondAndLog(request, problem.code, problem);
}

function addOperations(): void {
  const byPath = Map.groupBy(operations, ({ path }) => path.replace(/^(\/api)?\/schedule\/v1/, ''));
  for (const [path, group] of byPath) {
    const route = routeOf(
      group.map((operation): [string, Next] => [operation.method, handlerOf(operation)]),
      true,
    );
    for (const prefix of prefixes) addRoute(prefix + path, route);
  }
}

function addEndpoint(path: string, method: Operation['method'], handler: Handler): void {
  addRoute(path, routeOf([[method, handler]], false));
}

function addRoute(path: string, route: Route): void {
  if (path.includes('{')) parameterRoutes.push({ segments: path.split('/'), route });
  else staticRoutes.set(path, route);
}

function routeOf(offered: [string, Next | Handler][], isOperation: boolean): Route {
  const methods = new Map(offered.flatMap(([method, handler]) => withHead(method, handler)));
  return { methods, isOperation, allow: [...methods.keys(), 'OPTIONS'].join(', ') };
}

function withHead<T>(method: string, handler: T): [string, T][] {
  return method === 'GET'
    ? [
        [method, handler],
        ['HEAD', handler],
      ]
    : [[method, handler]];
}

/** Paths match exactly: case-sensitive, not decoded, without a trailing slash. Only parameters are decoded. */
function matchPath(pathname: string): Match | undefined {
  const route = staticRoutes.get(pathname);
  if (route) return { route, pathParams: {} };
  const segments = pathname.split('/');
  for (const candidate of parameterRoutes) {
    const pathParams = matchSegments(candidate.segments, segments);
    if (pathParams) return { route: candidate.route, pathParams };
  }
  return undefined;
}

function matchSegments(pattern: string[], segments: string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const pathParams: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index] ?? '';
    if (!expected.startsWith('{')) {
      if (segment !== expected) return undefined;
    } else {
      if (segment === '') return undefined;
      pathParams[expected.slice(1, -1)] = decode(segment);
    }
  }
  return pathParams;
}

/** Invalid percent-encoding is left for the parameter's schema to reject. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return '';
  }
}

/** Not `new URL`, which would resolve `..`. */
function pathOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('//') + 2);
  return start === -1 ? '/' : (url.slice(start).split(/[?#]/, 1)[0] ?? '/');
}
