import { type NextRequest, NextResponse } from 'next/server';
import { cardFormPath } from './components/layout/card-form-path.ts';
import { dashboardPages } from './components/layout/nav-items.ts';
import { durationText } from './components/ui/duration.ts';
import { cspReportPath } from './src/api/csp-report.ts';
import type { HttpProblem } from './src/api/problems.ts';
import { refusalOfRequest } from './src/api/rate-limits.ts';
import { requestIdOf } from './src/api/request-log.ts';
import { transportSecurity } from './src/api/response.ts';
import { services } from './src/api/services.ts';
import { isCrossSite } from './src/api/session.ts';
import { sessionKey } from './src/api/session-cookie.ts';
import { plainPage } from './src/server/plain-page.ts';
import { type StripeJs, sandboxOrigin, stripeJs } from './src/stripe-js.ts';

/**
 * Sets the nonce, the security headers, and the request ID of every page. Each page checks the session itself.
 */
export async function proxy(request: NextRequest): Promise<NextResponse> {
  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64');
  const provider = providerOf(request);
  const policy = contentSecurityPolicy(nonce, provider);
  const headers = new Headers(request.headers);
  // Next reads the nonce from here for the scripts it writes.
  headers.set('content-security-policy', policy);
  // Layouts cannot read the path otherwise; the redirect after sign-in needs it.
  headers.set('x-page-path', request.nextUrl.pathname + request.nextUrl.search);
  // For sign-ins in the log and the audit: the ID that the response has.
  const requestId = requestIdOf(request.headers);
  headers.set('x-request-id', requestId);
  const response = (await refusalOf(request, headers)) ?? NextResponse.next({ request: { headers } });
  response.headers.set('content-security-policy', policy);
  response.headers.set('x-request-id', requestId);
  for (const [name, value] of Object.entries(pageHeaders(provider))) response.headers.set(name, value);
  return response;
}

async function refusalOf(request: NextRequest, headers: Headers): Promise<NextResponse | null> {
  const path = canonicalPath(request.nextUrl.pathname);
  if (path !== request.nextUrl.pathname) {
    return NextResponse.redirect(new URL(path + request.nextUrl.search, request.url), 308);
  }
  const origin = request.headers.get('origin');
  if (request.method === 'POST' && origin !== null) {
    if (isCrossSite(services(), headers)) return crossSite();
    // Next compares it with the origin. A proxy in front need not pass `Host` on. Delete when Next reads the origins it
    // accepts at the start, and not at the build.
    const host = URL.canParse(origin) ? new URL(origin).host : '';
    if (/^[\w.:[\]-]+$/.test(host)) headers.set('x-forwarded-host', host);
    // A browser hides it, or it has a comma, where Next ends the host. Next would respond with 500.
    else headers.delete('origin');
  }
  const refusal = await quotaRefusal(request);
  return refusal && tooManyRequests(refusal);
}

/**
 * One URL for each page, so that no rule by path is missed. Next would serve a trailing slash too
 * (`skipTrailingSlashRedirect`). Delete when Next can redirect those of pages only.
 */
function canonicalPath(pathname: string): string {
  return `/${pathname.split('/').filter(Boolean).join('/')}`;
}

/**
 * Pages of the dashboard count toward the customer's quota (`app/(dashboard)/session.ts`). A form that scripts send refuses
 * itself, because they expect no page.
 */
async function quotaRefusal({ method, headers, nextUrl }: NextRequest): Promise<HttpProblem | null> {
  const { pathname } = nextUrl;
  if (method === 'POST' && headers.has('next-action')) return null;
  const isStatement = /^\/payout\/[^/.]+$/.test(pathname);
  const isDashboardPage = isStatement || dashboardPages.some(({ path }) => path === pathname);
  if (!isDashboardPage) return null;
  const { settings, rateLimits } = services();
  const session = await sessionKey(settings, headers.get('cookie'));
  return session && refusalOfRequest(rateLimits, session.customerId);
}

function crossSite(): NextResponse {
  const title = 'We couldn’t verify that request';
  return refusalPage(403, plainPage(title, title, 'Open the page directly and try again.'));
}

function tooManyRequests({ headers, retryAfterSeconds }: HttpProblem): NextResponse {
  const page = plainPage(
    'Too many requests',
    'Too many requests',
    `You’ve reached your limit of requests per minute. Reload this page in ${durationText(retryAfterSeconds ?? 60)}.`,
  );
  return refusalPage(429, page, headers);
}

function refusalPage(status: number, page: string, headers: Record<string, string> = {}): NextResponse {
  const ownHeaders = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' };
  return new NextResponse(page, { status, headers: { ...ownHeaders, ...headers } });
}

/**
 * Everything except API paths, which have their own headers, and files, which need none. Next reads this statically, so it has to be a literal.
 */
export const config = {
  matcher:
    '/((?!(?i:api|schedule)(?:/|$)|_next/static/|favicon.ico$|icon.svg$|icons/apple.png$|plain-page.css$).*)',
};

/** Only the page with the card form loads the provider's scripts. They stay in the document: see `PageLink`. */
function providerOf({ headers, nextUrl }: NextRequest): StripeJs | undefined {
  if (nextUrl.pathname !== cardFormPath) return undefined;
  return stripeJs(sandboxOrigin(services().settings, headers.get('host')));
}

/** @param nonce new for each response */
function contentSecurityPolicy(nonce: string, provider: StripeJs | undefined): string {
  const { MAP_TILE_URL, publicUrl } = services().settings;
  const isDevelopment = process.env.NODE_ENV === 'development';
  const directives: Record<string, string[]> = {
    'default-src': ["'none'"],
    // React's development build reconstructs stacks with eval.
    'script-src': [
      `'nonce-${nonce}'`,
      "'strict-dynamic'",
      ...(provider?.script ?? []),
      ...(isDevelopment ? ["'unsafe-eval'"] : []),
    ],
    // The development tools of Next add inline styles.
    'style-src': ["'self'", isDevelopment ? "'unsafe-inline'" : `'nonce-${nonce}'`],
    'font-src': ["'self'"],
    'img-src': ["'self'", 'data:', ...(MAP_TILE_URL ? [tileSource(MAP_TILE_URL)] : [])],
    'connect-src': ["'self'", ...(provider?.connect ?? [])],
    'frame-src': provider?.frame ?? ["'none'"],
    'manifest-src': ["'self'"],
    'form-action': ["'self'"],
    'frame-ancestors': ["'none'"],
    'base-uri': ["'none'"],
    'object-src': ["'none'"],
    'report-uri': [cspReportPath],
    // Browsers that know it ignore `report-uri`, and accept endpoints with https only.
    ...(publicUrl.startsWith('https:') && { 'report-to': ['csp'] }),
  };
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources.join(' ')}`)
    .join('; ');
}

/** `https://{s}.tile.example/{z}/{x}/{y}.png` as a source: `https://*.tile.example`. */
function tileSource(template: string): string {
  const origin = /^https?:\/\/[^/]+/.exec(template)?.[0] ?? '';
  return origin.replace(/\{[^}]*\}/, '*');
}

function pageHeaders(provider: StripeJs | undefined): Record<string, string> {
  const { publicUrl } = services().settings;
  const payment = provider ? `payment=(self "${provider.payment}")` : 'payment=()';
  return {
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'strict-origin-when-cross-origin',
    // Google Pay opens a window of its own where the browser has no payment sheet, and talks to it.
    'cross-origin-opener-policy': provider ? 'same-origin-allow-popups' : 'same-origin',
    'permissions-policy': `camera=(), microphone=(), usb=(), ${payment}, geolocation=(self)`,
    'reporting-endpoints': `csp="${cspReportPath}"`,
    ...transportSecurity(publicUrl),
  };
}
