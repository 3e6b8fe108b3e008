import { describe, expect, it } from 'vitest';
import { DomainError } from '#src/errors.ts';
import { quoteOf } from './city.ts';
import { readCityProperties, readPriceTable } from './city-properties.ts';

const x = (length: number) => 'x'.repeat(length);
const sound = {
  name: 'San José',
  timezone: 'America/Los_Angeles',
  base_price: 6.5,
  delivery_prices: {
    items: [
      { mile: 13, amount: 12 },
      { mile: 2, amount: 0 },
    ],
  },
};

function problemsOf(properties: object): Record<string, string> {
  try {
    readCityProperties({ ...sound, ...properties });
    return {};
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'invalid_input') throw error;
    return Object.fromEntries(error.details.map(({ param, message }) => [param, message]));
  }
}

describe('city import: properties', () => {
  it('have defaults for all that is not a name, zone, or price', () => {
    expect(readCityProperties(sound)).toEqual({
      slug: 'san-jose',
      name: 'San José',
      countyName: 'San José',
      timezone: 'America/Los_Angeles',
      basePriceCents: 650,
      deliveryPrices: '{"items":[{"mile":2,"amount":0},{"mile":13,"amount":12}]}',
      latitude: undefined,
      longitude: undefined,
      returnRideLimitOnMile: 13,
      isActive: true,
      isDischargeSingleRideActive: false,
      isFlatAppActive: false,
      isPlacesAppActive: false,
      isDeliveryAppActive: true,
    });
  });

  it('can all be set, as text too', () => {
    const all = {
      slug: 'sj-2',
      county_name: 'Santa Clara County',
      base_price: '6.25',
      delivery_prices: JSON.stringify(sound.delivery_prices),
      latitude: '37.5',
      longitude: -121.25,
      return_ride_limit_on_mile: '7.5',
      is_active: 'false',
      is_discharge_single_ride_active: 'true',
      is_flat_app_active: true,
      is_places_app_active: 'true',
      is_delivery_app_active: false,
    };
    expect(readCityProperties({ ...sound, ...all })).toMatchObject({
      slug: 'sj-2',
      countyName: 'Santa Clara County',
      basePriceCents: 625,
      latitude: 37.5,
      longitude: -121.25,
      returnRideLimitOnMile: 7.5,
      isActive: false,
      isDischargeSingleRideActive: true,
      isFlatAppActive: true,
      isPlacesAppActive: true,
      isDeliveryAppActive: false,
    });
  });

  it.each([
    ['name', [x(100)], ['', ' ', x(101), 'a\0', 7]],
    ['slug', ['a', 'a-1-b', x(64)], ['', 'A', '-a', 'a-', 'a--b', 'a_b', x(65), 7]],
    ['base_price', [0, 100_000, '0.01'], [-0.01, 100_000.01, 0.001, '1e3', 'x', ' 1', Number.NaN, true]],
    ['latitude', [-90, 90], [-90.1, 90.1, 'x']],
    ['longitude', [-180, 180], [-180.1, 180.1, 'x']],
    ['county_name', [x(100)], ['', x(101)]],
    ['timezone', [x(64)], ['', x(65)]],
    ['return_ride_limit_on_mile', [0, 25_000], [-1, 25_000.1]],
    ['is_active', ['true', false], ['yes', 1, '']],
  ])('%s', (name, valid, invalid) => {
    for (const value of valid) expect([value, problemsOf({ [name]: value })]).toEqual([value, {}]);
    for (const value of invalid)
      expect([value, problemsOf({ [name]: value })]).toEqual([
        value,
        { [name]: expect.stringMatching(/\.$/) },
      ]);
  });

  it('names every property that is missing', () => {
    const none = { name: undefined, timezone: undefined, base_price: undefined, delivery_prices: undefined };
    expect(problemsOf(none)).toEqual(
      Object.fromEntries(Object.keys(none).map((name) => [name, 'Is required.'])),
    );
    expect(problemsOf({ name: '日本' })).toEqual({ slug: 'Is required.' });
  });

  it.each([
    ['Saint-Étienne (Loire)', 'saint-etienne-loire'],
    [`${x(70)}`, x(64)],
    [`${x(63)} b`, x(63)],
  ])('derive the slug of %s', (name, slug) => {
    expect(readCityProperties({ ...sound, name })).toMatchObject({ slug });
  });
});

describe('city import: price table', () => {
  const table = (...items: object[]) => readPriceTable({ items });
  const steps = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ mile: index + 1, amount: 0 }));

  it('is sorted by mile, and reads JSON text', () => {
    const sorted = [
      { mile: 0.5, amount: 0 },
      { mile: 25_000, amount: 100_000 },
    ];
    expect(table(...sorted.toReversed())).toEqual(sorted);
    expect(readPriceTable(JSON.stringify({ items: sorted.toReversed() }))).toEqual(sorted);
    expect(table(...steps(200))).toHaveLength(200);
  });

  it.each([
    [undefined, /^Must be/],
    ['{', /^Must be/],
    [[], /^Must be/],
    [{ items: {} }, /^Must be/],
    [{ items: [] }, /at least one item/],
    [{ items: steps(201) }, /at most 200/],
    [{ items: [7] }, /^item 0: must be/],
    [{ items: [{ mile: 0, amount: 1 }] }, /^item 0: "mile" must be/],
    [{ items: [{ mile: 25_000.1, amount: 1 }] }, /^item 0: "mile" must be/],
    [{ items: [{ mile: '1', amount: 1 }] }, /^item 0: "mile" must be/],
    [{ items: [...steps(1), { mile: 1, amount: 2 }] }, /^item 1: "mile" 1 appears twice/],
    [{ items: [{ mile: 1, amount: '1' }] }, /^item 0: "amount" must be/],
    [{ items: [{ mile: 1, amount: -0.01 }] }, /^item 0: a price can’t be negative/],
    [
      { items: [{ mile: 1, amount: 0.005 }] },
      /^item 0: a price must be in dollars with at most two decimal places/,
    ],
    [{ items: [{ mile: 1, amount: 100_000.01 }] }, /^item 0: the maximum price is \$100,000/],
  ])('refuses %j', (input, problem) => {
    expect(readPriceTable(input)).toMatch(problem);
  });
});

describe('city quote', () => {
  const city = {
    slug: 'sj',
    basePriceCents: 650,
    deliveryPrices: '{"items":[{"mile":2,"amount":1.1},{"mile":5,"amount":0.2},{"mile":13,"amount":0.29}]}',
  };
  const quote = (miles: number) => quoteOf(city as never, miles);

  it('is the base price plus the amount of the first item that reaches the distance', () => {
    expect(quote(2)).toEqual({ baseCents: 650, stepMile: 2, stepCents: 110, totalCents: 760 });
    expect(quote(2.01)).toMatchObject({ stepMile: 5, stepCents: 20, totalCents: 670 });
    expect(quote(13)).toMatchObject({ stepMile: 13, stepCents: 29, totalCents: 679 });
    const message = 'The price table of sj ends at 13 miles.';
    expect(() => quote(13.01)).toThrow(expect.objectContaining({ code: 'refused', message }));
  });
});
