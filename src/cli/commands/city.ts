import { readFile, stat } from 'node:fs/promises';
import { Command } from 'commander';
import { listCities } from '#src/cities/city.ts';
import { cityPropertyNames } from '#src/cities/city-properties.ts';
import { type ImportedCity, importCity, readCity } from '#src/cities/import-city.ts';
import { quote } from '#src/cities/quote.ts';
import { type CityFeature, readGeojson } from '#src/cities/read-geojson.ts';
import { DomainError } from '#src/errors.ts';
import { escapeControlChars } from '#src/escape.ts';
import { decimalOf, dollarsOf } from '#src/money.ts';
import { parseMiles } from '../arguments.ts';
import { resolveFile, withDatabase } from '../command-context.ts';
import { printError, printResult, type SharedOptions, success, table } from '../output.ts';

const fileBytesMax = 64 * 1024 * 1024;

export function cityCommand(): Command {
  return new Command('city')
    .description('Manage cities, their service areas, and their prices')
    .addCommand(importCommand())
    .addCommand(listCommand())
    .addCommand(quoteCommand());
}

function importCommand(): Command {
  const command = new Command('import')
    .description('Add cities from a GeoJSON file, or update them by slug')
    .argument('<file>', 'a GeoJSON Feature or FeatureCollection with Polygon or MultiPolygon geometry')
    .addHelpText('after', importHelp);
  for (const name of cityPropertyNames) {
    command.option(`--${name.replaceAll('_', '-')} <value>`, `overrides the property ${name}`);
  }
  return command.action(async (file: string, _: unknown, self: Command) => {
    const options = self.optsWithGlobals<SharedOptions & Record<string, string>>();
    const features = readGeojson(await readText(resolveFile(file)));
    const overrides = propertyOverrides(options);
    if (features.length > 1 && overrides.slug !== undefined) {
      throw new DomainError(
        'refused',
        "The file has several cities, which can't share a slug. Remove --slug.",
      );
    }
    const cities = await importAll(
      options,
      features.map(({ geometry, properties }) => ({ geometry, properties: { ...properties, ...overrides } })),
    );
    for (const { slug, notes } of cities) for (const note of notes) printError(`${slug}: ${note}`);
    const documents = cities.map(cityDocument);
    printResult(options, features.length === 1 ? documents[0] : { cities: documents }, () =>
      cities.map(cityLine),
    );
  });
}

/** Checks every feature before it writes the first. */
async function importAll(options: SharedOptions, features: CityFeature[]): Promise<ImportedCity[]> {
  return withDatabase(options.actor, async (context) => {
    for (const feature of features) await readCity(context, feature);
    const cities: ImportedCity[] = [];
    for (const feature of features) cities.push(await importCity(context, feature));
    return cities;
  });
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
  const stats = await stat(file).catch(() => undefined);
  if (!stats?.isFile()) throw new DomainError('refused', `File not found: ${escapeControlChars(file)}`);
  if (stats.size > fileBytesMax) {
    throw new DomainError('refused', 'The file is larger than 64 MiB. Simplify its outlines.');
  }
  return readFile(file, 'utf8');
}

function cityDocument({ id, slug, outcome, isZoneChanged, points, notes }: ImportedCity) {
  return { id, slug, outcome, zone_changed: isZoneChanged, points, notes };
}

function cityLine({ slug, outcome, isZoneChanged, points }: ImportedCity): string {
  const rebuilt = isZoneChanged ? '. The time zone changed, so monthly sums were rebuilt' : '';
  return success(`${slug} ${outcome} (${points} points)${rebuilt}`);
}

function listCommand(): Command {
  return new Command('list').description('List cities').action(async (_: unknown, self: Command) => {
    const options = self.optsWithGlobals<SharedOptions>();
    const cities = await withDatabase(options.actor, ({ db }) => listCities(db));
    const document = cities.map((city) => ({
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
    }));
    printResult(options, { cities: document }, () =>
      table(
        ['slug', 'name', 'county', 'time zone', 'base price', 'active'],
        cities.map((city) => [
          city.slug,
          city.name,
          city.countyName,
          city.timezone,
          dollarsOf(BigInt(city.basePriceCents)),
          city.isActive ? 'yes' : 'no',
        ]),
        [4],
      ),
    );
  });
}

function quoteCommand(): Command {
  return new Command('quote')
    .description('Show the price of a delivery over a distance and how it is calculated')
    .argument('<slug>', 'the city')
    .requiredOption('--miles <number>', 'the distance', parseMiles)
    .addHelpText('after', '\nExample:\n  $ operator city quote san-jose --miles 12.4')
    .action(async (slug: string, _: unknown, self: Command) => {
      const options = self.optsWithGlobals<SharedOptions & { miles: number }>();
      const price = await withDatabase(options.actor, ({ db }) => quote(db, slug, options.miles));
      const { miles, stepMile, totalCents } = price;
      const dollars = (cents: number) => Number(decimalOf(BigInt(cents)));
      const document = {
        city: slug,
        miles,
        base_price: dollars(price.baseCents),
        step: { mile: stepMile, amount: dollars(price.stepCents) },
        amount: dollars(totalCents),
        amount_cents: totalCents,
      };
      printResult(options, document, () => [
        `${dollarsOf(BigInt(totalCents))} for ${miles} miles in ${slug}:`,
        `  base price ${dollarsOf(BigInt(price.baseCents))}`,
        `  plus ${dollarsOf(BigInt(price.stepCents))} for distances up to ${stepMile} miles`,
      ]);
    });
}

const importHelp = `
The feature's properties have the names of the API's city fields. Required: name, timezone (an IANA
time zone), base_price (dollars), and delivery_prices (an object or its JSON text):
  {"items":[{"mile":3,"amount":0},{"mile":8,"amount":4.5}]}
A delivery costs base_price plus the amount of the first item whose mile is at least the distance.
The slug defaults to one derived from the name; latitude and longitude default to the area's center.
An open ring is closed, and only the largest part of a MultiPolygon is imported; both are reported.
Any other error is refused with its ring and index.

Examples:
  $ operator city import san-jose.geojson
  $ operator city import outline.geojson --slug san-jose --name "San Jose" --timezone America/Los_Angeles \\
      --base-price 6.50 --delivery-prices '{"items":[{"mile":5,"amount":0}]}'`;
