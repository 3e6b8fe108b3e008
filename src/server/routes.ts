import { readdir } from 'node:fs/promises';
import path from 'node:path';

export type RouteHandler = (request: Request) => Promise<Response>;
export type RouteModule = Partial<Record<string, RouteHandler>>;
export type Route = { segments: string[]; module: RouteModule };
export type Rewrite = { source: string; destination: string };

/**
 * The route handlers below `app/api`, found as Next finds them, the most exact first.
 * @param appFolder the `app` folder
 */
export async function findApiRoutes(appFolder: string): Promise<Route[]> {
  const files = await readdir(path.join(appFolder, 'api'), { recursive: true });
  const routes = files
    .filter((file) => path.basename(file) === 'route.ts')
    .map(async (file) => {
      const module: unknown = await import(path.join(appFolder, 'api', file));
      const segments = ['api', ...path.dirname(file).split(path.sep)].filter(
        (name) => !/^(\.|\(.*\))$/.test(name),
      );
      return { segments, module: module as RouteModule };
    });
  return (await Promise.all(routes)).sort((one, other) => compare(one.segments, other.segments));
}

/**
 * @param rewrites of prefixes: both sides end in `:path*`
 * @returns finds the route of a path as it stands in a request, undefined where Next is to answer
 */
export function routeFinder(routes: Route[], rewrites: Rewrite[]): (pathname: string) => Route | undefined {
  const prefixes = rewrites.map(({ source, destination }) => {
    const [from = '', to = ''] = [source, destination].map((pattern) => pattern.replace(/\/:path\*$/, ''));
    if (from === source || to === destination)
      throw new Error(`Only "…/:path*" is understood in rewrites: ${source}`);
    return { from, to };
  });
  return (pathname) => {
    const prefix = prefixes.find(({ from }) => pathname === from || pathname.startsWith(`${from}/`));
    const canonical = prefix ? prefix.to + pathname.slice(prefix.from.length) : pathname;
    if (!canonical.startsWith('/api/')) return undefined;
    const segments = canonical.slice(1).split('/');
    return routes.find((route) => isMatch(route.segments, segments));
  };
}

function isMatch(pattern: string[], segments: string[]): boolean {
  const last = pattern.at(-1) ?? '';
  const isOpen = last.startsWith('[...');
  if (isOpen ? segments.length < pattern.length : segments.length !== pattern.length) return false;
  return pattern.every((name, index) => {
    if (name.startsWith('[...')) return true;
    // An empty segment is what a trailing slash leaves: that is another path.
    return name.startsWith('[') ? segments[index] !== '' : name === segments[index];
  });
}

function compare(one: string[], other: string[]): number {
  for (let index = 0; index < Math.max(one.length, other.length); index += 1) {
    const difference = openness(one[index]) - openness(other[index]);
    if (difference !== 0) return difference;
  }
  return 0;
}

function openness(segment = ''): number {
  if (segment.startsWith('[...')) return 2;
  return segment.startsWith('[') ? 1 : 0;
}
