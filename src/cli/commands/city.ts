import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import type { Context } from '#src/audit.ts';
import { getCity, listCities, quoteOf } from '#src/cities/city.ts';
import { cityPropertyNames } from '#src/cities/city-properties.ts';
import { type CheckedCity, checkCity, type ImportedCity, writeCity } from '#src/cities/import-city.ts';
import { type CityFeature, readGeojson } from '#src/cities/read-geojson.ts';
import { DomainError } from '#src/errors.ts';
import { decimalOf, dollarsOf } from '#src/money.ts';
import { parseMiles } from '../arguments.ts';
import { bytesOf, resolveFile, withDatabase } from '../command-context.ts';
import { OperatorCommand, type SharedOptions } from '../operator-command.ts';
import { printError, success, table } from '../output.ts';

const fileBytesMax = 64 * 1024 * 1024;

export const cityCommand = new OperatorCommand('city').description(
  'Manage cities, their service areas, and their prices',
);

const importHelp = `
The feature's properties have the names of the API's city fields. Required: name, timezone (an IANA
time zone), base_price (dollars), and delivery_prices (an object or its JSON text):
  {"items":[{"mile":3,"amount":0},{"mile":8,"amount":4.5}]}
A delivery costs base_price plus the amount of the first item whose mile is at least the distance.
The slug defaults to one derived from the name; latitude and longitude default to the area's center.
A property that is left out gets its default, also when a city is updated: is_active becomes true.
An open ring is closed, and only the largest part of a MultiPolygon is imported; both are reported.
Any other error is refused with its ring and index, and nothing is imported. Each city is then written on its own: if the
connection is lost in between, import the file again.

Examples:
  $ operator city import san-jose.geojson
  $ operator city import outline.geojson --slug san-jose --name "San Jose" --timezone America/Los_Angeles \\
      --base-price 6.50 --delivery-prices '{"items":[{"mile":5,"amount":0}]}'`;

const importCommand = cityCommand
  .command('import')
  .description('Add cities from a GeoJSON file, or update them by slug')
  .argument('<file>', 'a GeoJSON Feature or FeatureCollection with Polygon or MultiPolygon geometry')
  .addHelpText('after', importHelp)
  .run(async (file: string, options: SharedOptions & Record<string, string>) => {
    const features = readGeojson(await readText(resolveFile(file)));
    const overrides = propertyOverrides(options);
    if (features.length > 1 && overrides.slug !== undefined) {
      throw new DomainError(
        'refused',
        "The file has several cities, which can't share a slug. Remove --slug.",
      );
    }
    const overridden = features.map(({ geometry, properties }) => ({
      geometry,
      properties: { ...properties, ...overrides },
    }));
    const cities = await withDatabase(options.actor, (context) => importAll(context, overridden));
    for (const { slug, notes } of cities) for (const note of notes) printError(`${slug}: ${note}`);
    const documents = cities.map(cityDocument);
    return {
      document: features.length === 1 ? documents[0] : { cities: documents },
      lines: () => cities.map(cityLine),
    };
  });

for (const name of cityPropertyNames) {
  importCommand.option(`--${name.replaceAll('_', '-')} <value>`, `overrides the property ${name}`);
}

/** Checks every feature before it writes the first. */
async function importAll(context: Context, features: CityFeature[]): Promise<ImportedCity[]> {
  const checked: CheckedCity[] = [];
  const failed = (error: unknown): never => {
    if (features.length === 1 || !(error instanceof DomainError)) throw error;
    const message = `Feature ${checked.length} is invalid, so nothing was imported.`;
    throw new DomainError(error.code, message, error.details);
  };
  for (const feature of features) {
    const next = await checkCity(context, feature).catch(failed);
    const { slug } = next.city;
    const first = checked.findIndex(({ city }) => city.slug === slug);
    if (first !== -1) {
      throw new DomainError(
        'invalid_input',
        `Features ${first} and ${checked.length} have the same slug, "${slug}", so nothing was imported. Merge the parts of a city into one MultiPolygon.`,
      );
    }
    checked.push(next);
  }
  const cities: ImportedCity[] = [];
  for (const city of checked) cities.push(await writeCity(context, city));
  return cities;
}

function propertyOverrides(options: Record<string, string>): Record<string, string> {
  const optionName = (property: string) =>
    property.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(
    cityPropertyNames.flatMap((name) => {
      const value = options[optionName(name)];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

async function readText(file: string): Promise<string> {
  if ((await bytesOf(file)) > fileBytesMax) {
    throw new DomainError('refused', 'The file is larger than 64 MiB. Simplify its outlines.');
  }
  const bytes = await readFile(file);
  if (!isUtf8(bytes))
    throw new DomainError('invalid_input', 'The file is not valid UTF-8. Save it as UTF-8.');
  return bytes.toString();
}

function cityDocument({ id, slug, outcome, isZoneChanged, points, notes }: ImportedCity) {
  return { id, slug, outcome, zone_changed: isZoneChanged, points, notes };
}

function cityLine({ slug, outcome, isZoneChanged, points }: ImportedCity): string {
  const rebuilt = isZoneChanged ? '. The time zone changed, so monthly sums were rebuilt' : '';
  return success(`${slug} ${outcome} (${points} points)${rebuilt}`);
}

cityCommand
  .command('list')
  .description('List cities')
  .runOnDatabase(async ({ db }) => {
    const cities = await listCities(db);
    return {
      document: {
        cities: cities.map((city) => ({
          id: city.id,
          slug: city.slug,
          name: city.name,
          county_name: city.countyName,
          timezone: city.timezone,
          base_price: city.basePriceCents / 100,
          delivery_prices: city.deliveryPrices,
          latitude: city.latitude,
          longitude: city.longitude,
          is_active: city.isActive,
        })),
      },
      lines: () =>
        table(
          cities,
          {
            slug: ({ slug }) => slug,
            name: ({ name }) => name,
            county: ({ countyName }) => countyName,
            'time zone': ({ timezone }) => timezone,
            'base price': ({ basePriceCents }) => dollarsOf(basePriceCents),
            active: ({ isActive }) => (isActive ? 'yes' : 'no'),
          },
          ['base price'],
        ),
    };
  });

cityCommand
  .command('quote')
  .description('Show the price of a delivery over a distance and how it is calculated')
  .argument('<slug>', 'the city')
  .requiredOption('--miles <number>', 'the distance', parseMiles)
  .addHelpText('after', '\nExample:\n  $ operator city quote san-jose --miles 12.4')
  .runOnDatabase(async ({ db }, slug: string, { miles }: { miles: number }) => {
    const { baseCents, stepMile, stepCents, totalCents } = quoteOf(await getCity(db, slug), miles);
    const dollars = (cents: number) => Number(decimalOf(BigInt(cents)));
    return {
      document: {
        city: slug,
        miles,
        base_price: dollars(baseCents),
        step: { mile: stepMile, amount: dollars(stepCents) },
        amount: dollars(totalCents),
        amount_cents: totalCents,
      },
      lines: () => [
        `${dollarsOf(totalCents)} for ${miles} miles in ${slug}:`,
        `  base price ${dollarsOf(baseCents)}`,
        `  plus ${dollarsOf(stepCents)} for distances up to ${stepMile} miles`,
      ],
    };
  });
