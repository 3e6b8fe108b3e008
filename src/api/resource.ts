import type { Handler } from './endpoint.ts';
import { HttpProblem } from './problems.ts';
import { answered } from './request-log.ts';
import { problemAnswer } from './response.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
type Method = (typeof methods)[number];
export type Resource = Record<Method, Handler>;

/**
 * All methods of one address, so that none is answered by anything but the API: `HEAD` where there is `GET`,
 * `OPTIONS` with what is allowed, 405 for the rest.
 */
export function resource(operations: Partial<Record<'GET' | 'POST' | 'DELETE', Handler>>): Resource {
  const offered: Partial<Record<Method, Handler>> = {
    ...operations,
    ...(operations.GET && { HEAD: operations.GET }),
  };
  const allow = [...methods.filter((method) => offered[method]), 'OPTIONS'].join(', ');
  const all = methods.map((method): [Method, Handler] => [
    method,
    offered[method] ?? answering(method, allow),
  ]);
  return Object.fromEntries(all) as Resource;
}

/** What is answered at an address that does not exist, whatever the method. */
export const nothingHere: Resource = Object.fromEntries(
  methods.map((method): [Method, Handler] => [
    method,
    async (request) => refuse(request, new HttpProblem('not_found')),
  ]),
) as Resource;

/** What is answered to a request that cannot even be read, so that no handler has it. */
export function refuseUnreadable(problem = new HttpProblem('request_unreadable')): Response {
  return refuse(new Request('http://localhost/'), problem);
}

function answering(method: Method, allow: string): Handler {
  const headers = { Allow: allow };
  if (method !== 'OPTIONS')
    return async (request) => refuse(request, new HttpProblem('method_not_allowed', { headers }));
  return async (request) => answered(request, 'options', { status: 204, body: '', headers });
}

function refuse(request: Request, problem: HttpProblem): Response {
  return answered(request, problem.code, problemAnswer(problem));
}
