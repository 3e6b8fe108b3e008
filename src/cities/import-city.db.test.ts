import { expect, onTestFinished, test, vi } from 'vitest';
import { listAudit } from '#src/customers/list-audit.ts';
import { testDatabase, waitingForLock } from '#tools/testing/database.ts';
import { getCity } from './city.ts';
import { importCity } from './import-city.ts';

const { db, sql } = await testDatabase();
const ctx = { db, actor: 'operator:tester' };

/** Two degrees wide and one degree high. */
const ring = [
  [-122, 37],
  [-120, 37],
  [-120, 38],
  [-122, 38],
  [-122, 37],
];
const feature = (properties: object = {}) => ({
  geometry: { type: 'Polygon', coordinates: [ring] },
  properties: {
    name: 'Centerville',
    timezone: 'America/Los_Angeles',
    base_price: 6.5,
    delivery_prices: { items: [{ mile: 3, amount: 0 }] },
    ...properties,
  },
});

test('city import: the center of the area is the default of latitude and longitude', async () => {
  await importCity(ctx, feature());
  expect(await getCity(db, 'centerville')).toMatchObject({
    latitude: '37.5',
    longitude: '-121',
    polygonPoints: '[[37,-122],[37,-120],[38,-120],[38,-122],[37,-122]]',
  });
  await importCity(ctx, feature({ slug: 'own', latitude: 37.25, longitude: '-121.5' }));
  expect(await getCity(db, 'own')).toMatchObject({ latitude: '37.25', longitude: '-121.5' });
});

test('city import: the same city again changes and audits nothing, and a change is audited', async () => {
  const same = feature({ slug: 'same' });
  const { id, ...created } = await importCity(ctx, same);
  expect(created).toEqual({ slug: 'same', outcome: 'created', isZoneChanged: false, points: 5, notes: [] });
  expect(id).toBe((await getCity(db, 'same')).id);
  const before = await listAudit(db, { limit: 1 });
  expect(before).toMatchObject([{ actor: ctx.actor, action: 'city.created', subject: 'same' }]);
  expect(await importCity(ctx, same)).toMatchObject({ id, outcome: 'unchanged', isZoneChanged: false });
  expect(await listAudit(db, { limit: 1 })).toEqual(before);
  expect(await importCity(ctx, feature({ slug: 'same', is_active: false }))).toMatchObject({
    ...{ id, outcome: 'updated', isZoneChanged: false },
  });
  const [audited] = await listAudit(db, { limit: 1 });
  expect(audited).toMatchObject({ actor: ctx.actor, action: 'city.updated', subject: 'same' });
  expect([audited?.before, audited?.after]).toEqual([{ is_active: true }, { is_active: false }]);
  const moved = feature({ slug: 'same', timezone: 'America/Phoenix' });
  expect(await importCity(ctx, moved)).toMatchObject({ id, outcome: 'updated', isZoneChanged: true });
});

test.each([0, 1])(
  'city import: two first imports at once create one city, with prices that differ by %i',
  async (more) => {
    const slug = `twice-${more}`;
    const imports = [6.5, 6.5 + more].map((base_price) => feature({ slug, base_price }));
    // Both have seen that there is no such city before either can insert it.
    const blocker = await sql.reserve();
    await blocker`begin`;
    await blocker`insert into cities select (jsonb_populate_record(c, jsonb_build_object('id', -1, 'slug', ${slug}::text))).*
    from cities c where slug = 'same'`;
    const imported = Promise.all(imports.map((city) => importCity(ctx, city)));
    await expect.poll(() => waitingForLock(sql)).toHaveLength(imports.length);
    await blocker`rollback`;
    blocker.release();
    const { id } = await imported.then(() => getCity(db, slug));
    const outcomes = ['created', more === 0 ? 'unchanged' : 'updated'];
    expect((await imported).map(({ outcome }) => outcome).sort()).toEqual(outcomes);
    expect(await imported).toMatchObject([{ id }, { id }]);
    const audited = await listAudit(db, { limit: 5 });
    expect(audited.flatMap(({ action, subject }) => (subject === slug ? action : [])).sort()).toEqual(
      outcomes.filter((outcome) => outcome !== 'unchanged').map((outcome) => `city.${outcome}`),
    );
  },
);

test.each<[string, unknown, RegExp]>([
  ['that is missing', null, /^The feature has no geometry\.$/],
  [
    'whose axes are swapped, though all numbers are in range',
    JSON.parse('{"type":"Polygon","coordinates":[[[-1,36],[-2,36],[-2,37],[-1,36]]]}'),
    /^ring 0, index 0: the axes look swapped\./,
  ],
])('city import: refuses a service area %s', async (_, geometry, message) => {
  const nairobi = { timezone: 'Africa/Nairobi', latitude: -1.3, longitude: 36.8 };
  await expect(importCity(ctx, { ...feature(nairobi), geometry })).rejects.toMatchObject({
    code: 'invalid_input',
    message: 'The city is invalid, so nothing was imported.',
    details: [{ param: 'geometry', message: expect.stringMatching(message) }],
  });
});

// PostgreSQL knows the first one only, Node.js the second one only.
test.each(['Factory', '+05:00', 'America/Gotham', ''])(
  'city import: refuses the zone %j',
  async (timezone) => {
    await expect(importCity(ctx, feature({ timezone }))).rejects.toMatchObject({
      code: 'invalid_input',
      details: [
        { param: 'timezone', message: expect.stringMatching(/^(Unknown time zone|Must not be empty)\./) },
      ],
    });
  },
);

test('city import: looks a time zone up once for several cities', async () => {
  const execute = vi.spyOn(db, 'execute');
  onTestFinished(() => execute.mockRestore());
  const statements: number[] = [];
  // In a zone that no other test uses.
  for (const slug of ['first', 'second', 'third']) {
    await importCity(ctx, feature({ slug, timezone: 'America/Tijuana' }));
    statements.push(execute.mock.calls.length);
    execute.mockClear();
  }
  // The zone, its months, and the city.
  expect(statements).toEqual([3, 1, 1]);
});
