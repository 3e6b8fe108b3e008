/**
 * Where to go after signing in: a path of our own pages, whatever the address said.
 * @param wanted the `next` of the sign-in address
 */
export function sitePath(wanted: unknown): string {
  if (typeof wanted !== 'string' || !/^\/(?![/\\])/.test(wanted)) return '/';
  const here = 'http://here.invalid';
  if (!URL.canParse(wanted, here)) return '/';
  const { origin, pathname, search } = new URL(wanted, here);
  const isPage = origin === here && !/^\/(\/|\\|api(\/|$)|schedule\/|sign-in(\/|$))/.test(pathname);
  return isPage ? pathname + search : '/';
}
