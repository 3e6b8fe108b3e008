import { z } from 'zod';
import { themes } from '#app/preferences.ts';
import { services } from '#src/api/services.ts';
import { isCrossSite } from '#src/api/session.ts';
import { cookieHeader } from '#src/api/session-cookie.ts';

const formSchema = z.union([
  z.strictObject({ theme: z.enum(themes) }),
  z.strictObject({ shortcuts: z.enum(['on', 'off']) }),
]);

const oneYearSeconds = 365 * 24 * 60 * 60;

/** Saves one choice of the form on the profile page in a cookie. */
export async function POST(request: Request): Promise<Response> {
  if (isCrossSite(services(), request.headers)) {
    return new Response('Change this on the profile page.\n', { status: 403, headers: uncached });
  }
  const form = formSchema.safeParse(Object.fromEntries(new URLSearchParams(await request.text())));
  if (!form.success) {
    return new Response('Choose one of the page’s options.\n', { status: 400, headers: uncached });
  }
  const secure = services().settings.publicUrl.startsWith('https:');
  const options = { httpOnly: true, secure, sameSite: 'lax', path: '/', maxAge: oneYearSeconds } as const;
  const headers = new Headers({ ...uncached, location: '/profile#preferences' });
  for (const [name, value] of Object.entries(form.data))
    headers.append('set-cookie', cookieHeader({ name, value, options }));
  return new Response(null, { status: 303, headers });
}

const uncached = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' };
