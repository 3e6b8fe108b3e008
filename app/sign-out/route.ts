import { plainText, seeOther } from '#app/responses.ts';
import { services } from '#src/api/services.ts';
import { clientOf, closeSession, endSession, isCrossSite } from '#src/api/session.ts';
import { cookieHeader } from '#src/api/session-cookie.ts';

/**
 * The target of a form. After an action that redirects, Next would request the page from itself. Delete when Next leaves that
 * to the browser.
 */
export async function POST(request: Request): Promise<Response> {
  const { headers } = request;
  if (isCrossSite(services(), headers)) return plainText(403, 'Sign out from the dashboard.');
  const form = new URLSearchParams(await request.text());
  const id = form.get('session');
  const customerId = Number(form.get('customer'));
  if (id !== null) {
    await endSession(services(), headers.get('cookie'), { ...clientOf(headers), customerId, id });
    return seeOther('/profile#sessions');
  }
  const client = {
    ...clientOf(headers),
    ...(form.get('sessions') === 'all' && { everywhereOf: customerId }),
  };
  const cookie = await closeSession(services(), headers.get('cookie'), client);
  return cookie
    ? seeOther('/sign-in?signed-out', { 'set-cookie': cookieHeader(cookie) })
    : seeOther('/sign-in?next=%2Fprofile');
}
