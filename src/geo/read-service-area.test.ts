import { describe, expect, it } from 'vitest';
import { centerOf, readServiceArea } from './read-service-area.ts';

const square = [
  [-122, 37],
  [-121, 37],
  [-121, 38],
  [-122, 38],
  [-122, 37],
];
const polygon = (...rings: unknown[]) => ({ type: 'Polygon', coordinates: rings });
const polygonOf = (ring: string) => polygon(JSON.parse(ring));

describe('readServiceArea', () => {
  it('accepts a closed ring unchanged', () => {
    expect(readServiceArea(polygon(square))).toEqual({ ring: square, notes: [] });
  });

  it('closes an open ring with a note', () => {
    const area = readServiceArea(polygon(square.slice(0, -1)));
    expect(area).toEqual({ ring: square, notes: [expect.stringContaining('ring 0 was open')] });
  });

  it('selects the largest of several polygons by area, with a note', () => {
    const northern = square.map(([x = 0, y = 0]) => [x * 1.1, y + 45]);
    for (const [index, coordinates] of [
      [1, [[northern], [square]]],
      [0, [[square], [northern]]],
    ] as const)
      expect(readServiceArea({ type: 'MultiPolygon', coordinates })).toEqual({
        ring: square,
        notes: [expect.stringContaining(`polygon ${index}`)],
      });
  });

  it('reads a MultiPolygon of one polygon without a note', () => {
    expect(readServiceArea({ type: 'MultiPolygon', coordinates: [[square]] })).toEqual({
      ring: square,
      notes: [],
    });
  });

  it('reads a ring to the edges of the map, and as wide as half of it', () => {
    const polar = JSON.parse('[[-180,-90],[0,-90],[180,-90],[180,90],[0,90],[-180,90],[-180,-90]]');
    expect(readServiceArea(polygon(polar))).toEqual({ ring: polar, notes: [] });
  });

  it('drops positions that repeat the one before, and names the others by their index', () => {
    const [first, ...others] = square;
    expect(readServiceArea(polygon([first, first, ...others]))).toEqual({ ring: square, notes: [] });
    const twisted = polygonOf('[[0,0],[0,0],[1,1],[1,1],[1,0],[0,1],[0,0]]');
    expect(readServiceArea(twisted)).toMatch(/starts at index 0 meets .* starts at index 4\./);
  });

  const replaced = (index: number, point: unknown) => square.map((old, at) => (at === index ? point : old));
  it.each([
    ['latitude first', polygon(square.map(([x, y]) => [y, x])), /ring 0, index 0: .*swapped/],
    ['a hole', polygon(square, square), /ring 1 is a hole/],
    [
      'a bow-tie',
      polygonOf('[[0,0],[1,1],[1,0],[0,1],[0,0]]'),
      /ring 0: .*index 0 .*index 2.*touch or cross itself/,
    ],
    [
      'a ring that touches itself',
      polygonOf('[[0,0],[2,0],[2,2],[1,0],[0,2],[0,0]]'),
      /ring 0: .*touch or cross itself/,
    ],
    ['a spike', polygonOf('[[0,0],[1,0],[1,1],[1,2],[1,1],[0,1]]'), /ring 0: .*touch or cross itself/],
    [
      'a ring over the antimeridian',
      polygonOf('[[179,0],[-179,0],[-179,1],[179,1]]'),
      /ring 0, index 1: .*antimeridian/,
    ],
    [
      'a ring whose last side crosses the antimeridian',
      polygonOf('[[179,0],[0,0],[-179,1]]'),
      /ring 0, index 2: .*antimeridian/,
    ],
    ['100,001 points', polygon(Array(100_001).fill([0, 0])), /ring 0 has 100001 points\. .* 100000\./],
    ['100,000 points at one place', polygon(Array(100_000).fill([0, 0])), /1 distinct point\./],
    ['a ring that is not a list', polygon('ring'), /ring 0 is not a list of points/],
    ['a position of one number', polygon(replaced(0, [1])), /index 0: must be a pair/],
    ['text for a latitude', polygon(replaced(3, [-122, '38'])), /ring 0, index 3: .*numbers/],
    ['an endless latitude', polygonOf('[[0,1e309],[1,0],[1,1]]'), /index 0: a number is too large/],
    ['a latitude of 181', polygon(replaced(1, [80, 181])), /index 1: the latitude/],
    ['a longitude of 91 beside a latitude of 91', polygon(replaced(1, [91, 91])), /index 1: the latitude/],
    ['a longitude of 90 beside a latitude of 180', polygon(replaced(1, [90, 180])), /index 1: .*swapped/],
    ['no coordinates', { type: 'MultiPolygon' }, /The MultiPolygon has no polygons/],
    ['rings that are not a list', { type: 'Polygon', coordinates: 'rings' }, /ring 0 is missing/],
    ['a list as geometry', [], /no geometry/],
    ['text as geometry', 'Polygon', /no geometry/],
    ['a triangle too small to have an area', polygonOf('[[0,0],[1e-200,0],[0,1e-200]]'), /encloses no area/],
    ['two points', polygonOf('[[0,0],[1,1],[0,0]]'), /ring 0 has 2 distinct points/],
    ['a single point', polygon([[0, 0]]), /1 distinct point\./],
    ['a line', polygonOf('[[0,0],[1,0],[2,0],[0,0]]'), /ring 0/],
    ['a longitude out of range', polygon(replaced(2, [181, 37])), /ring 0, index 2: the longitude/],
    ['a latitude out of range', polygon(replaced(1, [100, 95])), /ring 0, index 1: the latitude/],
    ['text for a number', polygon(replaced(3, ['-122', 38])), /ring 0, index 3: .*numbers/],
    ['an endless number', polygonOf('[[1e309,0],[1,0],[1,1]]'), /index 0: a number is too large/],
    ['a missing point', polygon(replaced(0, null)), /index 0: must be a pair/],
    ['no rings', polygon(), /ring 0 is missing/],
    ['another geometry', { type: 'Point', coordinates: [0, 0] }, /Polygon or a MultiPolygon/],
    ['no geometry', null, /no geometry/],
    [
      'a broken smaller part',
      { type: 'MultiPolygon', coordinates: [[square], [[[0, 0]]]] },
      /polygon 1, ring 0/,
    ],
  ])('refuses %s and says where', (_, geometry, message) => {
    expect(readServiceArea(geometry)).toMatch(message);
  });

  it('finds the one self-intersection among 50,000 edges', () => {
    const count = 50_000;
    const ring = Array.from({ length: count }, (_, index) => {
      const angle = (index / count) * 2 * Math.PI;
      return [10 * Math.cos(angle), 10 * Math.sin(angle)];
    });
    expect(readServiceArea(polygon(ring))).toMatchObject({ ring: { length: count + 1 } });
    [ring[20_000], ring[20_001]] = [ring[20_001] ?? [], ring[20_000] ?? []];
    expect(readServiceArea(polygon(ring))).toMatch(/index 19999.*index 20001/);
  });

  it('computes the center of mass', () => {
    expect(centerOf(square as [number, number][])).toEqual([
      expect.closeTo(-121.5, 9),
      expect.closeTo(37.5, 9),
    ]);
  });
});
