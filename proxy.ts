import { type NextRequest, NextResponse } from 'next/server';
import { requestIdOf } from './src/api/request-log.ts';
import { services } from './src/api/services.ts';
import { sandboxOrigin } from './src/server/sandbox-origin.ts';

/**
 * Gives every page its nonce, its security headers and the number of its request. Who someone is, is never decided here: each page asks for itself.
 */
export function proxy(request: NextRequest): NextResponse {
  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64');
  const policy = contentSecurityPolicy(nonce, request.headers.get('host') ?? '');
  const headers = new Headers(request.headers);
  // Next reads the nonce from here for the scripts it writes.
  headers.set('content-security-policy', policy);
  // A layout cannot know its path otherwise; the way back after signing in needs it.
  headers.set('x-page-path', request.nextUrl.pathname + request.nextUrl.search);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set('content-security-policy', policy);
  response.headers.set('x-request-id', requestIdOf(request.headers));
  for (const [name, value] of Object.entries(pageHeaders())) response.headers.set(name, value);
  return response;
}

/**
 * Everything but the API's paths, which have headers of their own, and files, which need none. Next reads this from the source, so it is written out here.
 */
export const config = {
  matcher:
    '/((?!(?i:api|schedule)(?:/|$)|_next/static/|_next/image$|favicon.ico$|icon.svg$|icons/apple.png$).*)',
};

/**
 * @param nonce fresh for each answer
 * @param host the request's Host: the sandbox provider stands on another port of the same name
 */
export function contentSecurityPolicy(nonce: string, host: string): string {
  const { MAP_TILE_URL } = services().settings;
  const isDevelopment = process.env.NODE_ENV === 'development';
  const sandbox = sandboxOrigin(host);
  const provider = sandbox ? { script: [sandbox], connect: [sandbox], frame: [sandbox] } : stripeSources;
  const directives: Record<string, string[]> = {
    'default-src': ["'none'"],
    // React's development build rebuilds stacks with eval; nothing in production does.
    'script-src': [
      `'nonce-${nonce}'`,
      "'strict-dynamic'",
      ...provider.script,
      ...(isDevelopment ? ["'unsafe-eval'"] : []),
    ],
    // The framework's development tools write styles of their own.
    'style-src': ["'self'", isDevelopment ? "'unsafe-inline'" : `'nonce-${nonce}'`],
    'font-src': ["'self'"],
    'img-src': ["'self'", 'data:', ...(MAP_TILE_URL ? [tileSource(MAP_TILE_URL)] : [])],
    'connect-src': ["'self'", ...provider.connect],
    'frame-src': provider.frame,
    'manifest-src': ["'self'"],
    'form-action': ["'self'"],
    'frame-ancestors': ["'none'"],
    'base-uri': ["'none'"],
    'object-src': ["'none'"],
  };
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources.join(' ')}`)
    .join('; ');
}

const stripeSources = {
  script: ['https://js.stripe.com', 'https://*.js.stripe.com'],
  connect: ['https://api.stripe.com'],
  frame: ['https://js.stripe.com', 'https://*.js.stripe.com', 'https://hooks.stripe.com'],
};

/** `https://{s}.tile.example/{z}/{x}/{y}.png` as a source: `https://*.tile.example`. */
function tileSource(template: string): string {
  const origin = /^https?:\/\/[^/]+/.exec(template)?.[0] ?? '';
  return origin.replace(/\{[^}]*\}/, '*');
}

function pageHeaders(): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), usb=(), payment=(self), geolocation=(self)',
    ...(services().settings.publicUrl.startsWith('https:') && {
      'strict-transport-security': 'max-age=31536000; includeSubDomains',
    }),
  };
}
