import { countRequest } from '#src/api/rate-limits.ts';
import { services } from '#src/api/services.ts';
import { readSession } from '#src/api/session.ts';
import { backgroundMapAround } from '#src/geo/background-map.ts';
import { serviceAreaOf } from '#src/geo/service-area.ts';

/**
 * The background map of the signed-in customer's city, for the interactive map. The URL changes with the content, so a
 * browser caches it for good (RFC 8246); an outdated URL gets the current map, uncached.
 */
export async function GET(
  request: Request,
  { params }: RouteContext<'/service-area/background-map/[version]'>,
): Promise<Response> {
  const session = await readSession(services(), request.headers.get('cookie'));
  if (!session)
    return Response.json(
      { error: { type: 'authentication_required', message: 'Sign in first.' } },
      { status: 401, headers: uncached },
    );
  const { refusal } = await countRequest(services().rateLimits, session.customerId);
  if (refusal) {
    return Response.json(
      { error: { type: refusal.code, message: refusal.message } },
      { status: 429, headers: { ...uncached, ...refusal.headers } },
    );
  }
  const { outlineBox } = serviceAreaOf(session.city);
  const { version, json } = await backgroundMapAround(outlineBox);
  const caching = (await params).version === version ? immutable : uncached;
  return new Response(json, { headers: { ...caching, 'content-type': 'application/json' } });
}

const uncached = { 'cache-control': 'no-store' };
/** Private, because it tells which city the customer has. */
const immutable = { 'cache-control': 'private, max-age=31536000, immutable' };
