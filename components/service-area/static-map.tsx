import type { BaseMap } from '#src/geo/base-map.ts';
import { boundsOf, type LatLng, overlaps, projected } from '#src/geo/geometry.ts';
import './map.css';

type AreaPictureProps = {
  /** The service area, with no more points than one sees: `drawnOutline` makes it so. */
  outline: LatLng[];
  centre: LatLng;
  baseMap: BaseMap;
  /** What it shows, for those who cannot see it. */
  label: string;
  /** The point under question. */
  picked?: LatLng | undefined;
};

/** One unit is the 65,536th part of the area's longer side, so that every coordinate is a short whole number. */
const resolution = 65_536;

/**
 * The service area as a picture that needs no script. It fills the nearest positioned ancestor, which needs a height,
 * and shows what the interactive map shows when it opens.
 */
export function AreaPicture({ outline, centre, baseMap, label, picked }: AreaPictureProps) {
  const { viewBox, place, land, countyLines, coastLines, stateLines, area } = drawingOf(outline, baseMap);
  return (
    <div className="map absolute inset-0 overflow-hidden">
      <svg
        role="img"
        aria-label={label}
        viewBox={viewBox}
        className="absolute top-4 right-4 bottom-10 left-16 h-[calc(100%-3.5rem)] w-[calc(100%-5rem)] overflow-visible"
      >
        <path className="map-land" fillRule="evenodd" d={land} />
        <path className="map-county-line" d={countyLines} />
        <path className="map-coast-line" d={coastLines} />
        <path className="map-state-line" d={stateLines} />
        <path className="map-area" d={area} />
        <path className="map-centre" d={`M${place(centre)}h1`} />
        {picked && overlaps(baseMap.bounds, boundsOf([picked])) && (
          <g className="map-pick-drawn">
            <path className="map-pick-rim" d={`M${place(picked)}h1`} />
            <path className="map-pick-dot" d={`M${place(picked)}h1`} />
          </g>
        )}
      </svg>
    </div>
  );
}

type Drawing = ReturnType<typeof drawn>;
const drawings = new WeakMap<LatLng[], Drawing>();

/** Kept as long as the outline is, which is kept for its city, and has one base map. */
function drawingOf(outline: LatLng[], baseMap: BaseMap): Drawing {
  const drawing = drawings.get(outline) ?? drawn(outline, baseMap);
  drawings.set(outline, drawing);
  return drawing;
}

function drawn(outline: LatLng[], { land, countyLines, coastLines, stateLines }: BaseMap) {
  const { viewBox, place } = fitted(outline);
  const line = (points: LatLng[]) => `M${points.map(place).join('L')}`;
  const ring = (points: LatLng[]) => `${line(points)}Z`;
  return {
    viewBox,
    place,
    land: land.flat().map(ring).join(''),
    countyLines: countyLines.map(line).join(''),
    coastLines: coastLines.map(line).join(''),
    stateLines: stateLines.map(line).join(''),
    area: ring(outline),
  };
}

function fitted(outline: readonly LatLng[]): { viewBox: string; place: (point: LatLng) => string } {
  const { south, west, north, east } = boundsOf(outline);
  const [left, top] = projected([north, west]);
  const [right, bottom] = projected([south, east]);
  const scale = resolution / Math.max(right - left, bottom - top, 0.001);
  const inUnits = (length: number) => Math.round(length * scale);
  return {
    viewBox: `0 0 ${inUnits(right - left)} ${inUnits(bottom - top)}`,
    place: (point) => {
      const [x, y] = projected(point);
      return `${inUnits(x - left)} ${inUnits(y - top)}`;
    },
  };
}
