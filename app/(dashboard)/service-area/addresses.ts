import { services } from '#src/api/services.ts';
import type { City } from '#src/cities/city.ts';
import { type FoundAddress, GeocoderError, searchAddresses } from '#src/geo/geocoder.ts';
import { serviceAreaOf } from '#src/geo/service-area.ts';

const addressCharsMax = 200;

/** @returns undefined if the address search is not set up or fails, which is logged */
export async function addressesOf(address: string, city: City): Promise<FoundAddress[] | undefined> {
  const { settings, log } = services();
  if (!settings.GEOCODER_URL) return undefined;
  try {
    const near = serviceAreaOf(city).outlineBox;
    return await searchAddresses(settings.GEOCODER_URL, address.slice(0, addressCharsMax), near);
  } catch (error) {
    // Other messages can contain the address, which is personal data.
    const reason = error instanceof GeocoderError ? error.message : error instanceof Error && error.name;
    log.warn({ reason }, 'The address search failed.');
    return undefined;
  }
}
