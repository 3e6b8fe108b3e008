import { services } from '#src/api/services.ts';
import type { Session } from '#src/api/session.ts';
import { findServiceArea } from '#src/cities/find-service-area.ts';
import { type FoundAddress, GeocoderError, searchAddresses } from '#src/geo/geocoder.ts';

const addressCharsMax = 200;

/** @returns undefined if the address search is not set up or fails, which is logged */
export async function addressesOf(
  address: string,
  { customerId, city }: Pick<Session, 'customerId' | 'city'>,
): Promise<FoundAddress[] | undefined> {
  const { db, settings, log, addressSearches } = services();
  if (!settings.GEOCODER_URL) return undefined;
  const end = addressSearches.begin(customerId);
  try {
    if (!end) throw new GeocoderError('Too many searches by this customer are running.');
    const near = (await findServiceArea(db, city)).outlineBox;
    return await searchAddresses(settings.GEOCODER_URL, address.slice(0, addressCharsMax), near);
  } catch (error) {
    // Other messages can contain the address, which is personal data.
    const reason = error instanceof GeocoderError ? error.message : error instanceof Error && error.name;
    log.warn({ reason }, 'The address search failed.');
    return undefined;
  } finally {
    end?.();
  }
}
