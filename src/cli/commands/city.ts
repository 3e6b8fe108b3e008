import { readFile, stat } from 'node:fs/promises';
import { Command } from 'commander';
import { cityPropertyNames } from '#src/cities/city-properties.ts';
import { type ImportedCity, importCity, readCity } from '#src/cities/import-city.ts';
import { listCities } from '#src/cities/list-cities.ts';
import { type CityFeature, readGeojson } from '#src/cities/read-geojson.ts';
import { DomainError } from '#src/errors.ts';
import { escapeControlChars } from '#src/escape.ts';
import { dollarsOf } from '#src/money.ts';
import { givenFile, withDatabase } from '../database.ts';
import { answer, remark, type SharedOptions, table, tick } from '../output.ts';
import { quoteCommand } from './city-quote.ts';

const largestFileBytes = 64 * 1024 * 1024;

export function cityCommand(): Command {
  return new Command('city')
    .description('Cities: where the service delivers, and at which prices')
    .addCommand(importCommand())
    .addCommand(listCommand())
    .addCommand(quoteCommand());
}

function importCommand(): Command {
  const command = new Command('import')
    .description('Add a city from a GeoJSON file, or bring it up to date by its slug')
    .argument('<file>', 'a GeoJSON Feature or FeatureCollection with Polygon or MultiPolygon')
    .addHelpText('after', importHelp);
  for (const name of cityPropertyNames) {
    command.option(`--${name.replaceAll('_', '-')} <value>`, `in place of the property ${name}`);
  }
  return command.action(async (file: string, _: unknown, self: Command) => {
    const options = self.optsWithGlobals<SharedOptions & Record<string, string>>();
    const features = readGeojson(await readText(givenFile(file)));
    const given = givenProperties(options);
    if (features.length > 1 && given.slug !== undefined) {
      throw new DomainError('refused', 'The file has several cities: --slug would give them all one name.');
    }
    const wanted = features.map(({ geometry, properties }) => ({
      geometry,
      properties: { ...properties, ...given },
    }));
    const imported = await importAll(options, wanted);
    for (const { slug, notes } of imported) for (const note of notes) remark(`${slug}: ${note}`);
    const documents = imported.map(cityDocument);
    answer(options, features.length === 1 ? documents[0] : { cities: documents }, () =>
      imported.map(cityLine),
    );
  });
}

/** Checks every feature before the first is written. */
async function importAll(options: SharedOptions, features: CityFeature[]): Promise<ImportedCity[]> {
  return withDatabase(options.actor, async (workplace) => {
    for (const feature of features) await readCity(workplace, feature);
    const imported: ImportedCity[] = [];
    for (const feature of features) imported.push(await importCity(workplace, feature));
    return imported;
  });
}

function givenProperties(options: Record<string, string>): Record<string, string> {
  const camel = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  const given = cityPropertyNames.map((name) => [name, options[camel(name)]] as const);
  return Object.fromEntries(given.filter((pair): pair is [string, string] => pair[1] !== undefined));
}

async function readText(file: string): Promise<string> {
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) throw new DomainError('refused', `There is no file ${escapeControlChars(file)}.`);
  if (found.size > largestFileBytes) throw new DomainError('refused', 'The file is over 64 MB.');
  return readFile(file, 'utf8');
}

function cityDocument({ id, slug, outcome, isZoneChanged, points, notes }: ImportedCity) {
  return { id, slug, outcome, zone_changed: isZoneChanged, points, notes };
}

function cityLine({ slug, outcome, isZoneChanged, points }: ImportedCity): string {
  const rebuilt = isZoneChanged ? '; its zone changed, so the months of its customers were summed anew' : '';
  return tick(`${slug} ${outcome === 'unchanged' ? 'is as it was' : outcome} (${points} points)${rebuilt}`);
}

function listCommand(): Command {
  return new Command('list').description('List the cities').action(async (_: unknown, self: Command) => {
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
    answer(options, { cities: document }, () =>
      table(
        ['slug', 'name', 'county', 'zone', 'base price', 'active'],
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

const importHelp = `
The properties of the feature are named as the API's city fields. Needed are name, timezone (an IANA
zone), base_price (dollars) and delivery_prices, as an object or as its JSON text:
  {"items":[{"mile":3,"amount":0},{"mile":8,"amount":4.5}]}
A delivery costs base_price plus the amount of the first item whose mile reaches the distance.
Without slug, one is made of the name; without latitude and longitude, the area's centre is taken.
An open ring is closed; of a MultiPolygon the largest part is taken, and it is said so. Anything else
that is wrong is refused with its ring and index.

Examples:
  $ operator city import san-jose.geojson
  $ operator city import outline.geojson --slug san-jose --name "San Jose" --timezone America/Los_Angeles \\
      --base-price 6.50 --delivery-prices '{"items":[{"mile":5,"amount":0}]}'`;
