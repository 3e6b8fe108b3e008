import { sealData, unsealData } from 'iron-session';
import { settings } from '#src/settings.ts';
import { tokenHash } from '#src/tokens.ts';

export type SessionCookie = {
  name: string;
  value: string;
  options: { httpOnly: true; secure: boolean; sameSite: 'lax'; path: '/'; maxAge: number };
};

export const lifetimeSeconds = 12 * 60 * 60;

/** @param id of a session: random, and worth nothing once the session has ended on the server */
export async function sealedCookie(id: string): Promise<SessionCookie> {
  return cookie(await sealData({ id }, { password: password(), ttl: lifetimeSeconds }), lifetimeSeconds);
}

/** Clears the browser's. */
export function endedCookie(): SessionCookie {
  return cookie('', 0);
}

/** @returns SHA-256 of the session's id, or null when the cookie is missing, old or not ours */
export async function sessionIdHash(cookieHeader: string | null): Promise<Buffer | null> {
  const sealed = cookieHeader
    ?.split(/; */)
    .find((pair) => pair.startsWith(`${cookieName()}=`))
    ?.slice(cookieName().length + 1);
  if (!sealed) return null;
  const known = unsealed.get(sealed);
  if (known) return known;
  const { id } = await unsealData<{ id?: string }>(sealed, {
    password: password(),
    ttl: lifetimeSeconds,
  });
  if (!id) return null;
  if (unsealed.size >= unsealedMost) unsealed.clear();
  const idHash = tokenHash(id);
  unsealed.set(sealed, idHash);
  return idHash;
}

/** What a cookie says never changes; whether the session still lasts, the database is asked each time. */
const unsealed = new Map<string, Buffer>();
const unsealedMost = 1_000;

/** `__Host-` keeps other hosts of the domain from setting it, where the browser allows the prefix. */
function cookieName(): string {
  return isSecure() ? '__Host-session' : 'session';
}

function cookie(value: string, maxAge: number): SessionCookie {
  return {
    name: cookieName(),
    value,
    options: { httpOnly: true, secure: isSecure(), sameSite: 'lax', path: '/', maxAge },
  };
}

function isSecure(): boolean {
  return settings().publicUrl.startsWith('https:');
}

function password(): string {
  const secret = settings().SESSION_SECRET;
  if (!secret) throw new Error('SESSION_SECRET is not set.');
  return secret;
}
