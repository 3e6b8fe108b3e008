import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatRing, milesPerDegree, type Position, parseRing } from './position.ts';
import { extentsOf, serviceAreaOf, simplifyRing } from './service-area.ts';

const cityWith = (ring: Position[]) => ({
  polygonPoints: formatRing(ring),
  latitude: '37.5',
  longitude: '-122.1',
});

/** A circle on the ground. */
const circle = (corners: number): Position[] =>
  Array.from({ length: corners + 1 }, (_, i): Position => {
    const angle = ((i % corners) / corners) * 2 * Math.PI;
    return [-122.1 + Math.cos(angle) / 4 / Math.cos((37.5 * Math.PI) / 180), 37.5 + Math.sin(angle) / 4];
  });

const square: Position[] = [
  [-122.2, 37.4],
  [-122.0, 37.4],
  [-122.0, 37.6],
  [-122.2, 37.6],
  [-122.2, 37.4],
];

describe('serviceAreaOf', () => {
  it("is parsed from the city's record", () => {
    const ring = circle(8);
    expect(serviceAreaOf(cityWith(ring))).toMatchObject({ ring, center: [-122.1, 37.5] });
  });

  it('computes the same area for both winding orders', () => {
    expect(serviceAreaOf(cityWith(square)).squareMiles).toBeCloseTo(151.5, 0);
    expect(serviceAreaOf(cityWith(square.toReversed())).squareMiles).toBeCloseTo(151.5, 0);
  });

  it('embeds a ring of few positions in full', () => {
    const city = cityWith(circle(900));
    expect(serviceAreaOf(city).simplified).toEqual({
      text: city.polygonPoints,
      fullDetailAbovePx: Number.POSITIVE_INFINITY,
    });
  });

  it.each([
    [999, Number.POSITIVE_INFINITY],
    [1_000, 720],
  ])('embeds a ring of %i corners in the detail of %d pixels', (corners, fullDetailAbovePx) => {
    expect(serviceAreaOf(cityWith(circle(corners))).simplified).toMatchObject({ fullDetailAbovePx });
  });

  it('has the box of what is drawn', () => {
    expect(serviceAreaOf(cityWith(square)).outlineBox).toEqual([-122.2, 37.4, -122.0, 37.6]);
  });

  it('embeds the visible positions of a ring of 50,000', () => {
    const { simplified } = serviceAreaOf(cityWith(circle(50_000)));
    const ring = parseRing(simplified.text);
    expect(ring.length).toBeGreaterThan(50);
    expect(ring.length).toBeLessThan(400);
    expect(ring.at(-1)).toEqual(ring[0]);
    const pixelDegrees = 0.5 / simplified.fullDetailAbovePx;
    const across = Math.cos((37.5 * Math.PI) / 180);
    // Rounded by less than a quarter of a pixel, and never off the circle by more than that and half a pixel.
    const offPx = (lng: number, lat: number) =>
      Math.abs(Math.hypot(lat - 37.5, (lng + 122.1) * across) - 0.25) / pixelDegrees;
    for (const [index, [lng, lat]] of ring.entries()) {
      expect(offPx(lng, lat)).toBeLessThan(0.2);
      const [nextLng, nextLat] = ring[index + 1] ?? [lng, lat];
      expect(offPx((lng + nextLng) / 2, (lat + nextLat) / 2)).toBeLessThan(0.7);
    }
  });
});

describe('simplifyRing', () => {
  it('reduces 50,000 points to few', () => {
    const outline = simplifyRing(circle(50_000), 1000);
    expect(outline.length).toBeGreaterThan(40);
    expect(outline.length).toBeLessThan(300);
  });

  it('stays closed and uses points of the ring, for any ring', () => {
    const position = fc.tuple(
      fc.double({ min: -100, max: -99, noNaN: true }),
      fc.double({ min: 30, max: 31, noNaN: true }),
    );
    fc.assert(
      fc.property(fc.array(position, { minLength: 3, maxLength: 60 }), (open) => {
        const first = open[0] ?? [0, 0];
        const ring: Position[] = [...open, first];
        const outline = simplifyRing(ring, 400);
        expect(outline[0]).toBe(ring[0]);
        expect(outline.at(-1)).toBe(ring.at(-1));
        for (const position of outline) expect(ring).toContain(position);
      }),
    );
  });

  it('leaves simple shapes unchanged', () => {
    expect(simplifyRing(square, 10)).toEqual(square);
  });

  it('deviates from the ring by at most half a pixel', () => {
    const wave = Array.from({ length: 5_000 }, (_, i): Position => {
      return [-112 + (i / 5_000) * 0.5, 60 + 0.002 * Math.sin(i / 40) + 0.0001 * (i % 7)];
    });
    const ring: Position[] = [...wave, [-111.5, 59.8], [-112, 59.8], wave[0] ?? [0, 0]];
    const sizePx = 300;
    const outline = simplifyRing(ring, sizePx);
    expect(outline.length).toBeLessThan(1_000);
    const flat = ([longitude, latitude]: Position): Position => [longitude / 2, latitude];
    const pixelDegrees = 0.5 / 2 / sizePx;
    let [from, to] = [0, 0];
    for (const position of ring.slice(0, -1)) {
      if (position === outline[to]) [from, to] = [to, to + 1];
      const [[x, y], [xA, yA], [xB, yB]] = [position, outline[from], outline[to]].map((one) =>
        flat(one ?? [0, 0]),
      ) as [Position, Position, Position];
      const share = ((x - xA) * (xB - xA) + (y - yA) * (yB - yA)) / ((xB - xA) ** 2 + (yB - yA) ** 2 || 1);
      const nearest = Math.min(1, Math.max(0, share));
      const off = Math.hypot(x - xA - nearest * (xB - xA), y - yA - nearest * (yB - yA));
      expect(off / pixelDegrees).toBeLessThanOrEqual(0.51);
    }
  });

  it('handles 20,000 shrinking teeth, the worst case of the Douglas-Peucker algorithm', () => {
    const teeth = Array.from({ length: 20_000 }, (_, i): Position => {
      return [-112 + (i / 20_000) * 0.3, i % 2 ? 33 + 0.2 * (1 - i / 20_000) : 33];
    });
    const ring: Position[] = [...teeth, [-111.7, 32.9], [-112, 32.9], [-112, 33]];
    expect(simplifyRing(ring, 720).length).toBeGreaterThan(10_000);
  });
});

describe('extentsOf', () => {
  it('measures the distance to the edge in each direction', () => {
    const miles = Object.fromEntries(
      extentsOf([-122.1, 37.5], square).map(({ direction, miles }) => [
        direction,
        Math.round(miles * 10) / 10,
      ]),
    );
    expect(miles).toEqual({
      North: 6.9,
      Northeast: 7.8,
      East: 5.5,
      Southeast: 7.8,
      South: 6.9,
      Southwest: 7.8,
      West: 5.5,
      Northwest: 7.8,
    });
  });

  it('measures to the farthest edge', () => {
    const notched: Position[] = JSON.parse('[[0,0],[3,0],[3,3],[2,3],[2,1],[1,1],[1,3],[0,3],[0,0]]');
    const miles = Object.fromEntries(
      extentsOf([0.5, 2], notched).map(({ direction, miles }) => [direction, miles]),
    );
    // On the parallel, so a little longer than the great circle.
    const perDegree = milesPerDegree * Math.cos((2 * Math.PI) / 180);
    expect(miles.East).toBeCloseTo(2.5 * perDegree, 1);
    expect(miles.West).toBeCloseTo(0.5 * perDegree, 1);
    expect(miles.North).toBeCloseTo(milesPerDegree, 6);
    expect(miles.South).toBeCloseTo(2 * milesPerDegree, 6);
  });

  it('returns no distance in a direction without area', () => {
    const extents = extentsOf([-122.3, 37.5], square);
    expect(extents.find(({ direction }) => direction === 'West')?.miles).toBe(0);
    expect(extents.find(({ direction }) => direction === 'East')?.miles).toBeCloseTo(0.3 * 54.815, 1);
  });
});
