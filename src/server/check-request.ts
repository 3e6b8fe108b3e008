/** Checks of every request before it is routed, so that neither router sees what HTTP does not allow. */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
// biome-ignore lint/style/noRestrictedImports: the only way to know what Next would fail to read.
import { parseAndValidateFlightRouterState } from 'next/dist/server/app-render/parse-and-validate-flight-router-state.js';
import { HttpProblem } from '#src/api/problems.ts';
import { pathOf } from '#src/api/request-log.ts';
import { transportSecurity } from '#src/api/response.ts';
import type { Middleware } from './middleware.ts';
import type { PageActions } from './page-actions.ts';
import { refuse } from './parse-errors.ts';

/**
 * Brings the target into origin form, and checks `Host` (RFC 9112, section 3.2): exactly one in HTTP/1.1, and a name that
 * is ours. Another site's name could otherwise be pointed to this address, which would make its pages same-origin.
 * @param publicUrl whose host is served, besides IP addresses and names without a dot, which are not in public DNS
 */
export function checkTarget(publicUrl: string): Middleware {
  const publicName = new URL(publicUrl).hostname;
  return (request, response, next) => {
    const host = takeHost(request);
    if (host === undefined) return next();
    const name = hostName(host);
    if (name === undefined) return refuse(response, new HttpProblem('request_unreadable'));
    const isServed =
      name === publicName || !name.includes('.') || name.endsWith('.localhost') || isIP(name) !== 0;
    return isServed ? next() : refuse(response, new HttpProblem('host_unknown'));
  };
}

/** @returns the requested host: an empty text if invalid, undefined for HTTP/1.0 without one */
function takeHost(request: IncomingMessage): string | undefined {
  const { url = '', headers, rawHeaders, httpVersion } = request;
  const isHost = (name: string, index: number) => index % 2 === 0 && name.toLowerCase() === 'host';
  const hostIndex = rawHeaders.findIndex(isHost);
  if (rawHeaders.findLastIndex(isHost) !== hostIndex) return '';
  if (!url.startsWith('/')) {
    const [, host = '', target = ''] = /^https?:\/\/([^/?#]+)(.*)$/i.exec(url) ?? [];
    // The host of an absolute-form target replaces that of the header.
    headers.host = host;
    rawHeaders.splice(hostIndex === -1 ? rawHeaders.length : hostIndex, 2, 'Host', host);
    request.url = target.startsWith('/') ? target : `/${target}`;
  }
  return headers.host ?? (httpVersion === '1.0' ? undefined : '');
}

/** @returns the host name of `Host`, without brackets and port, or undefined if it is not one */
function hostName(host: string): string | undefined {
  const [, ipv6, name] = /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::\d*)?$/i.exec(host) ?? [];
  return (ipv6 ?? name)?.toLowerCase();
}

const readMethods = ['GET', 'HEAD'];
/** The targets of forms and scripts, besides pages with actions. */
const formTargets = ['/sign-out', '/profile/preferences', '/service-area/addresses'];
/** `.` and `..`, and the separator that URLs in browsers treat as a slash. */
const dotSegment = /[\\/](\.|%2e){1,2}([\\/]|$)/i;

/**
 * Refuses what no page accepts: other methods, a path that cannot be decoded, and headers that Next.js cannot read. Delete
 * each check when Next.js refuses the same with a 4xx (e2e/api/request-checks.spec.ts).
 */
export function checkPageRequest(actions: PageActions): Middleware {
  const methodsOf = (pathname: string) => {
    if (formTargets.includes(pathname)) return ['POST'];
    return actions.has(pathname) ? [...readMethods, 'POST'] : readMethods;
  };
  return (request, response, next) => {
    const { method = '', url = '/', headers } = request;
    // Of invalid ranges, which are to be ignored (RFC 9110, section 14.2), the file servers fail for some. No file is long.
    delete headers.range;
    const pathname = pathOf(url);
    const allowed = methodsOf(pathname);
    if (!allowed.includes(method)) {
      return refuse(
        response,
        new HttpProblem('method_not_allowed', { headers: { Allow: allowed.join(', ') } }),
      );
    }
    // Next would resolve them, and so find paths that the router of the API does not know.
    if (dotSegment.test(pathname)) return refuse(response, new HttpProblem('not_found'));
    const isReadable =
      doesNotThrow(() => decodeURIComponent(pathname)) &&
      // Next throws in the middle of rendering.
      doesNotThrow(() => parseAndValidateFlightRouterState(headers['next-router-state-tree'])) &&
      // Next renders the page instead of calling its action, which would have counted the request.
      (method !== 'POST' || headers.rsc === undefined);
    return isReadable ? next() : refuse(response, new HttpProblem('request_unreadable'));
  };
}

function doesNotThrow(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}

/**
 * Headers that Next.js and the file server set on some responses only. Delete when Next.js can set them on its redirects
 * and on files too.
 */
export function secureHeaders(publicUrl: string): Middleware {
  const headers = Object.entries({ 'X-Content-Type-Options': 'nosniff', ...transportSecurity(publicUrl) });
  return (_request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  };
}
