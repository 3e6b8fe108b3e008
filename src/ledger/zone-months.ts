import type { Database } from '#db/client.ts';
import { listCities } from '#src/cities/list-cities.ts';
import { monthBounds } from './month.ts';
import { keepZoneMonths } from './zone-month-queries.ts';

/** The years that entries may lie in. */
const firstYear = 1970;
const lastYear = 2099;

/**
 * Makes the database put entries into the months that the service itself counts in a zone: both have data of their
 * own about clocks, updated apart.
 * @returns how many months were corrected
 */
export async function agreeOnZone(db: Database, timezone: string): Promise<number> {
  const count = (lastYear - firstYear + 1) * 12;
  const months = Array.from({ length: count }, (_, index) => {
    const year = firstYear + Math.floor(index / 12);
    const month = `${year}-${String((index % 12) + 1).padStart(2, '0')}-01`;
    return { month, start: monthBounds(month, timezone).start };
  });
  return keepZoneMonths(db, timezone, months);
}

/** The same for the zones of all cities: to be done when either's data are updated. */
export async function agreeOnZones(db: Database): Promise<number> {
  const zones = new Set((await listCities(db)).map(({ timezone }) => timezone));
  let corrected = 0;
  for (const zone of zones) corrected += await agreeOnZone(db, zone);
  return corrected;
}
