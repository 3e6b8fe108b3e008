import { z } from 'zod';
import { themes } from '#app/preferences.ts';
import { plainText, seeOther } from '#app/responses.ts';
import { services } from '#src/api/services.ts';
import { isCrossSite } from '#src/api/session.ts';
import { cookieHeader } from '#src/api/session-cookie.ts';

/** The name and value of its only field. */
const formSchema = z.tuple([
  z.union([
    z.tuple([z.literal('theme'), z.enum(themes)]),
    z.tuple([z.literal('shortcuts'), z.enum(['on', 'off'])]),
  ]),
]);

const oneYearSeconds = 365 * 24 * 60 * 60;

/** Saves one choice of the form on the profile page in a cookie. */
export async function POST(request: Request): Promise<Response> {
  if (isCrossSite(services(), request.headers)) return plainText(403, 'Change this on the profile page.');
  const form = formSchema.safeParse([...new URLSearchParams(await request.text())]);
  if (!form.success) return plainText(400, 'Choose one of the page’s options.');
  const secure = services().settings.publicUrl.startsWith('https:');
  const options = { httpOnly: true, secure, sameSite: 'lax', path: '/', maxAge: oneYearSeconds } as const;
  const [[name, value]] = form.data;
  return seeOther('/profile#preferences', { 'set-cookie': cookieHeader({ name, value, options }) });
}
