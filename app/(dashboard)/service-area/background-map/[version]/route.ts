import { services } from '#src/api/services.ts';
import { findServiceArea } from '#src/cities/find-service-area.ts';
import { backgroundMapAround } from '#src/geo/background-map.ts';
import { scriptSession } from '../../../session.ts';

/**
 * The background map of the signed-in customer's city, for the interactive map. The URL changes with the content, so a
 * browser caches it for good (RFC 8246); an outdated URL gets the current map, uncached.
 */
export async function GET(
  request: Request,
  { params }: RouteContext<'/service-area/background-map/[version]'>,
): Promise<Response> {
  const session = await scriptSession(request);
  if (session instanceof Response) return session;
  const { outlineBox } = await findServiceArea(services().db, session.city);
  const { version, json } = await backgroundMapAround(outlineBox);
  // Private, because it tells which city the customer has.
  const caching = (await params).version === version ? 'private, max-age=31536000, immutable' : 'no-store';
  return new Response(json, { headers: { 'cache-control': caching, 'content-type': 'application/json' } });
}
