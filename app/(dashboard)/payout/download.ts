import { plainText, seeOther } from '#app/responses.ts';
import { countRequest } from '#src/api/rate-limits.ts';
import { isSameOrigin } from '#src/api/same-origin.ts';
import { services } from '#src/api/services.ts';
import { readSession, type Session } from '#src/api/session.ts';

/**
 * The session of a request for a file. Counts the request toward the customer's quota. `customer` in the URL is that of the page:
 * the browser may have signed in to another account since, and a file does not show whose it is.
 * @param page where the customer continues after signing in
 * @returns a response if the request is from another site, not signed in or of another account, or over the quota
 */
export async function downloadSession(request: Request, page: string): Promise<Session | Response> {
  if (!isSameOrigin(services().settings, request.headers, { isProofRequired: false })) {
    return plainText(403, 'Download this file from the dashboard.');
  }
  const session = await readSession(services(), request.headers.get('cookie'));
  const { searchParams } = new URL(request.url);
  const customer = searchParams.get('customer');
  searchParams.delete('customer');
  const target = searchParams.size === 0 ? page : `${page}?${searchParams}`;
  if (!session) return seeOther(`/sign-in?next=${encodeURIComponent(target)}`);
  if (customer !== null && customer !== String(session.customerId)) return seeOther(target);
  const { refusal } = await countRequest(services().rateLimits, session.customerId);
  return refusal ? plainText(429, refusal.message, refusal.headers) : session;
}

export function downloadHeaders(mediaType: string, filename: string): Record<string, string> {
  return {
    'content-type': mediaType,
    'content-disposition': `attachment; filename="${filename}"`,
    'cache-control': 'no-store',
  };
}

/** For a download while as many others of the customer are running as `services().exports` allows. */
export function refuseSimultaneous(): Response {
  const message = 'Other downloads are still running. Wait for one to finish, and then try again.';
  return plainText(429, message, { 'Retry-After': '5' });
}
