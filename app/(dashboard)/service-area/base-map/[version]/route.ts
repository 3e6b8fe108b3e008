import { readSession } from '#src/api/session.ts';
import { baseMapAround } from '#src/geo/base-map.ts';
import { baseMapFile } from '#src/geo/base-map-file.ts';
import { cityArea } from '#src/geo/city-area.ts';

type Place = { params: Promise<{ version: string }> };

/**
 * What lies around the signed-in customer's city, for the interactive map. The address has the content's own name, so
 * a browser keeps the answer for good; an older page gets the map of today, which it does not keep.
 */
export async function GET(request: Request, { params }: Place): Promise<Response> {
  const session = await readSession(request.headers.get('cookie'));
  if (!session)
    return Response.json({ error: { message: 'Sign in first.' } }, { status: 401, headers: notKept });
  const { outline } = cityArea(session.city);
  const { version, json } = baseMapFile(await baseMapAround(outline));
  const keeping = (await params).version === version ? keptForGood : notKept;
  return new Response(json, { headers: { ...keeping, 'content-type': 'application/json' } });
}

const notKept = { 'cache-control': 'no-store' };
/** By this browser alone: it tells which city its customer has. */
const keptForGood = { 'cache-control': 'private, max-age=31536000, immutable' };
