import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { cache } from 'react';
import { readSession, type Session } from '#src/api/session.ts';

/** One read for the layout and the page of one request. */
const currentSession = cache(async () => readSession((await headers()).get('cookie')));

/**
 * The signed-in customer, from the database. Every page asks: a layout does not run again when one moves between pages.
 * Without a session it leads to the sign-in page, and from there back to here.
 */
export async function requireSession(): Promise<Session> {
  const session = await currentSession();
  if (session) return session;
  const path = (await headers()).get('x-page-path') ?? '/';
  redirect(path === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(path)}`);
}
