import type { BBox } from 'geojson';
import { z } from 'zod';
import { traceCall, traceHeaders } from '#src/tracing.ts';
import type { Position } from './position.ts';

/** What an address search found. */
export type FoundAddress = { name: string; point: Position };

const addressesMax = 5;
const timeoutMs = 5_000;
/** At a time, so that a geocoder that hangs does not take the places of other pages. */
const searchesMax = 8;
const responseCharsMax = 200_000;

const coordinate = z.coerce.number().min(-180).max(180);

/** https://nominatim.org/release-docs/latest/api/Search/, `format=jsonv2` */
const nominatimAddresses = z
  .array(z.object({ display_name: z.string(), lat: coordinate, lon: coordinate }))
  .transform((addresses) =>
    addresses.map(({ display_name: name, lat, lon }): FoundAddress => ({ name, point: [lon, lat] })),
  );

/** https://github.com/komoot/photon/blob/master/docs/api-v1.md: GeoJSON */
const photonAddresses = z
  .object({
    features: z.array(
      z.object({
        geometry: z.object({ coordinates: z.tuple([coordinate, coordinate]) }),
        properties: z.record(z.string(), z.unknown()),
      }),
    ),
  })
  .transform(({ features }) =>
    features.map(({ geometry, properties }): FoundAddress => {
      return { name: photonName(properties), point: geometry.coordinates };
    }),
  );

/** `Blue Bottle, 300 South Broadway, Los Angeles, California, 90013` */
function photonName({ name, housenumber, street, city, state, postcode }: Record<string, unknown>): string {
  const address = [housenumber, street].filter(Boolean).join(' ');
  return [name, address, city, state, postcode].filter((part) => part && typeof part === 'string').join(', ');
}

/** Its message contains nothing of the address. */
export class GeocoderError extends Error {
  override name = 'GeocoderError';
}

let searches = 0;

/**
 * Searches a geocoder for an address, with results near the area first.
 * @param geocoderUrl the search URL of a Nominatim server, or of a Photon server, whose path ends in `/api`
 * @throws Error if too many searches are running, or the geocoder does not respond, or with something else
 */
export async function searchAddresses(
  geocoderUrl: string,
  address: string,
  near: BBox,
): Promise<FoundAddress[]> {
  if (searches >= searchesMax) throw new GeocoderError('Too many searches are running.');
  searches += 1;
  try {
    return await traceCall('geocoder', { 'server.address': new URL(geocoderUrl).hostname }, () =>
      askGeocoder(geocoderUrl, address, near),
    );
  } finally {
    searches -= 1;
  }
}

async function askGeocoder(geocoderUrl: string, address: string, near: BBox): Promise<FoundAddress[]> {
  const url = new URL(geocoderUrl);
  const isPhoton = /\/api\/?$/.test(url.pathname);
  const parameters = {
    q: address,
    limit: `${addressesMax}`,
    ...(isPhoton ? photonBias(near) : nominatimBias(near)),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  const response = await fetch(url, {
    headers: { accept: 'application/json', 'user-agent': 'scheduling-service', ...traceHeaders() },
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!response.ok) throw new GeocoderError(`The geocoder responded with ${response.status}.`);
  const text = await response.text();
  if (text.length > responseCharsMax) throw new GeocoderError('The geocoder’s response is too long.');
  const addresses = (isPhoton ? photonAddresses : nominatimAddresses).parse(JSON.parse(text));
  return addresses.filter(({ name }) => name !== '').slice(0, addressesMax);
}

const nominatimBias = ([west, south, east, north]: BBox) => ({
  format: 'jsonv2',
  'accept-language': 'en',
  viewbox: `${west},${south},${east},${north}`,
});

const photonBias = ([west, south, east, north]: BBox) => ({
  lang: 'en',
  lat: `${(south + north) / 2}`,
  lon: `${(west + east) / 2}`,
});
