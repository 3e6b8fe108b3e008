/**
 * Prevents open redirects after sign-in.
 * @param next of the sign-in URL
 * @returns a path of one of our pages, `/` when `next` is anything else
 */
export function sitePath(next: unknown): string {
  if (typeof next !== 'string' || !/^\/(?![/\\])/.test(next)) return '/';
  const base = 'http://here.invalid';
  if (!URL.canParse(next, base)) return '/';
  const { origin, pathname, search } = new URL(next, base);
  const isPage = origin === base && !/^\/(\/|\\|api(\/|$)|schedule\/|sign-in(\/|$))/.test(pathname);
  return isPage ? pathname + search : '/';
}
