import { sealData, unsealData } from 'iron-session';
import { LRUCache } from 'lru-cache';
import type { Settings } from '#src/settings.ts';
import { tokenHash } from '#src/tokens.ts';

export type SessionCookie = {
  name: string;
  value: string;
  options: { httpOnly: true; secure: boolean; sameSite: 'lax'; path: '/'; maxAge: number };
};

export const lifetimeSeconds = ({ SESSION_HOURS }: Pick<Settings, 'SESSION_HOURS'>) => SESSION_HOURS * 3600;

/** The primary key of a session, with the SHA-256 of the session ID. */
export type SessionKey = { customerId: number; idHash: Buffer };

/** @param id of a session: random, and useless once the session has ended on the server */
export async function sealedCookie(
  settings: Settings,
  customerId: number,
  id: string,
): Promise<SessionCookie> {
  const sealed = await sealData(
    { customerId, id },
    { password: passwords(settings)[0], ttl: lifetimeSeconds(settings) },
  );
  return cookie(settings, sealed, lifetimeSeconds(settings));
}

export function endedCookie(settings: Settings): SessionCookie {
  return cookie(settings, '', 0);
}

/** @returns the value of `Set-Cookie` */
export function cookieHeader({ name, value, options }: SessionCookie): string {
  const { path, maxAge, secure } = options;
  return `${name}=${value}; Path=${path}; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
}

/** @returns null when the cookie is missing, expired, or forged */
export async function sessionKey(
  settings: Settings,
  cookieHeader: string | null,
): Promise<SessionKey | null> {
  const sealed = cookieHeader
    ?.split(/; */)
    .find((pair) => pair.startsWith(`${cookieName(settings)}=`))
    ?.slice(cookieName(settings).length + 1);
  if (!sealed) return null;
  const known = unsealed.get(sealed);
  if (known) return known;
  for (const password of passwords(settings)) {
    const options = { password, ttl: lifetimeSeconds(settings) };
    const { customerId, id } = await unsealData<{ customerId?: number; id?: string }>(sealed, options);
    if (!customerId || !id) continue;
    const key = { customerId, idHash: tokenHash(id) };
    unsealed.set(sealed, key);
    return key;
  }
  return null;
}

/** Decrypted cookies. The database still checks on every request whether the session is valid. */
const unsealed = new LRUCache<string, SessionKey>({ max: 1_000 });

/** `__Host-` keeps other hosts of the domain from setting the cookie. Browsers allow it only over HTTPS. */
function cookieName(settings: Settings): string {
  return isSecure(settings) ? '__Host-session' : 'session';
}

function cookie(settings: Settings, value: string, maxAge: number): SessionCookie {
  return {
    name: cookieName(settings),
    value,
    options: { httpOnly: true, secure: isSecure(settings), sameSite: 'lax', path: '/', maxAge },
  };
}

function isSecure({ publicUrl }: Settings): boolean {
  return publicUrl.startsWith('https:');
}

/** Cookies are sealed with the first, and opened with any. */
function passwords({ SESSION_SECRET, SESSION_SECRET_2 }: Settings): [string, ...string[]] {
  if (!SESSION_SECRET) throw new Error('SESSION_SECRET is not set.');
  return SESSION_SECRET_2 ? [SESSION_SECRET, SESSION_SECRET_2] : [SESSION_SECRET];
}
