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
    const area = readServiceArea({ type: 'MultiPolygon', coordinates: [[northern], [square]] });
    expect(area).toEqual({ ring: square, notes: [expect.stringContaining('polygon 1')] });
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
