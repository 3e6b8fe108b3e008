import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { testDatabase } from '#tools/testing/database.ts';
import { feature, operatorOn, polygon, ring } from './testing.ts';

const operator = operatorOn(await testDatabase());
const { file } = operator;

beforeAll(async () => {
  const { code } = await operator.run('city import', file('city.geojson', feature(polygon(ring))));
  expect(code).toBe(0);
});

test('city import: updates an existing city', async () => {
  const again = (more: object) =>
    operator.json('city import', file('again.geojson', feature(polygon(ring), { slug: 'again', ...more })));
  expect((await again({})).document).toMatchObject({
    slug: 'again',
    outcome: 'created',
    notes: [expect.stringContaining('open')],
  });
  expect((await again({})).document).toMatchObject({ outcome: 'unchanged' });
  expect((await again({ timezone: 'America/Denver' })).document).toMatchObject({
    outcome: 'updated',
    zone_changed: true,
  });
  expect((await again({ is_active: false })).document).toMatchObject({
    outcome: 'updated',
    zone_changed: true,
  });
  const { document } = await operator.json<{ changes: { action: string; after: unknown }[] }>(
    'audit --limit 1',
  );
  expect(document.changes[0]).toMatchObject({
    action: 'city.updated',
    before: { is_active: true, timezone: 'America/Denver' },
    after: { is_active: false, timezone: 'America/Los_Angeles' },
  });
});

test('city import: imports every feature, or none when one is invalid', async () => {
  const two = (second: object) => ({
    type: 'FeatureCollection',
    features: [
      feature(polygon(ring), { slug: 'two-a' }),
      feature(polygon(ring), { slug: 'two-b', ...second }),
    ],
  });
  const mars = file('two.geojson', two({ timezone: 'Mars/Olympus' }));
  const { code, stderr } = await operator.run('city import', mars);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^Feature 1 is invalid.*\n +timezone: /)]);
  expect((await operator.run('city list')).stdout).not.toContain('two-a');
  expect((await operator.json('city import', file('two.geojson', two({})))).document).toMatchObject({
    cities: [{ slug: 'two-a' }, { slug: 'two-b' }],
  });
});

test('city import: imports nothing when two features have the same slug', async () => {
  const features = ['Twin', 'twin'].map((name) => feature(polygon(ring), { name }));
  const twins = file('twins.geojson', { type: 'FeatureCollection', features });
  const { code, stderr } = await operator.run('city import', twins);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/Features 0 and 1 .*"twin"/)]);
  expect((await operator.run('city list')).stdout).not.toContain('twin');
});

test('city import: refuses a file that is not UTF-8', async () => {
  const city = JSON.stringify(feature(polygon(ring), { slug: 'latin' }));
  writeFileSync(path.join(operator.folder, 'latin.geojson'), city, 'latin1');
  const { code, stderr } = await operator.run('city import latin.geojson');
  expect([code, stderr]).toEqual([1, expect.stringContaining('UTF-8')]);
  expect((await operator.run('city list')).stdout).not.toContain('latin');
});

test.each([
  ['no JSON', '{', /isn’t valid JSON/],
  ['swapped axes', feature(polygon(ring.map(([x, y]) => [y, x]))), /ring 0, index 0.*swapped/],
  [
    'swapped axes within range',
    feature(polygon(JSON.parse('[[48.8,2.3],[48.9,2.3],[48.9,2.4]]')), {
      timezone: 'Pacific/Auckland',
      latitude: 2.35,
      longitude: 48.85,
    }),
    undefined,
  ],
  [
    'swapped against its own coordinates',
    feature(polygon(JSON.parse('[[48.8,2.3],[48.9,2.3],[48.9,2.4]]')), {
      timezone: 'Europe/Paris',
      latitude: 48.85,
      longitude: 2.35,
    }),
    /swapped/,
  ],
  ['an unknown zone', feature(polygon(ring), { timezone: 'America/Gotham' }), /timezone/],
  ['an offset for a zone', feature(polygon(ring), { timezone: '+05:00' }), /timezone/],
  ['half a cent', feature(polygon(ring), { base_price: 6.505 }), /base_price.*two decimal places/],
  [
    'a price table that is none',
    feature(polygon(ring), { delivery_prices: '{"items":[]}' }),
    /delivery_prices.*at least one item/,
  ],
  [
    'a distance twice',
    feature(polygon(ring), {
      delivery_prices: {
        items: [
          { mile: 1, amount: 0 },
          { mile: 1, amount: 2 },
        ],
      },
    }),
    /item 1.*twice/,
  ],
  ['a missing name', feature(polygon(ring), { name: undefined }), /name: Is required/],
])('city import of %s', async (_, content, message) => {
  const { code, stderr } = await operator.run('city import', file('bad.geojson', content), '--slug', 'bad');
  expect(code).toBe(message ? 1 : 0);
  if (message) expect(stderr).toMatch(message);
});

test('city quote: explains the price', async () => {
  const { document } = await operator.json('city quote san-jose --miles 12.4');
  expect(document).toMatchObject({
    base_price: 6.5,
    step: { mile: 13, amount: 12 },
    amount: 18.5,
    amount_cents: 1850,
  });
  expect((await operator.run('city quote san-jose --miles 13.01')).code).toBe(1);
});
