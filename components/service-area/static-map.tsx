import type { PriceStep } from '#src/cities/delivery-price.ts';
import type { BackgroundMap } from '#src/geo/background-map.ts';
import { longitudeStretch, milesPerDegree, overlaps, type Position } from '#src/geo/position.ts';
import type { ServiceArea } from '#src/geo/service-area.ts';

type StaticMapProps = {
  area: ServiceArea;
  backgroundMap: BackgroundMap;
  /** The accessible name of the map. */
  label: string;
  selectedPoint?: Position | undefined;
  /** Drawn as rings around the center. */
  priceSteps?: PriceStep[];
};

/** One unit is 1/65,536 of the area's longer side, so coordinates are short whole numbers. */
const unitsPerSide = 65_536;

/**
 * The service area as an SVG that needs no script. It fills the nearest positioned ancestor, which needs a height, and
 * shows what the interactive map shows when it opens.
 */
export function StaticMap({ area, backgroundMap, label, selectedPoint, priceSteps = [] }: StaticMapProps) {
  const { viewBox, project, unitsPerMileAt, paths } = drawingOf(area, backgroundMap);
  return (
    <div className="map absolute inset-0 overflow-hidden">
      <svg
        role="img"
        aria-label={label}
        viewBox={viewBox}
        className="absolute top-4 right-4 bottom-10 left-16 h-[calc(100%-3.5rem)] w-[calc(100%-5rem)] overflow-visible"
      >
        <path className="map-land" fillRule="evenodd" d={paths.land} />
        <path className="map-county-line" d={paths.countyLines} />
        <path className="map-coast-line" d={paths.coastLines} />
        <path className="map-state-line" d={paths.stateLines} />
        <path className="map-area" d={paths.area} />
        <g transform={`translate(${project(area.center)})`}>
          {priceSteps.map(({ milesMax }) => (
            <circle
              key={milesMax}
              className="map-price-ring"
              r={Math.round(milesMax * unitsPerMileAt(area.center))}
            />
          ))}
        </g>
        <path className="map-center" d={`M${project(area.center)}h1`} />
        {selectedPoint && overlaps(backgroundMap.box, [...selectedPoint, ...selectedPoint]) && (
          <g className="map-selected-static">
            <path className="map-selected-rim" d={`M${project(selectedPoint)}h1`} />
            <path className="map-selected-dot" d={`M${project(selectedPoint)}h1`} />
          </g>
        )}
      </svg>
    </div>
  );
}

type Drawing = ReturnType<typeof draw>;
const drawings = new WeakMap<Position[], Drawing>();

/** Cached as long as the outline, which determines the background map. */
function drawingOf(area: ServiceArea, backgroundMap: BackgroundMap): Drawing {
  const drawing = drawings.get(area.outline) ?? draw(area, backgroundMap);
  drawings.set(area.outline, drawing);
  return drawing;
}

function draw(area: ServiceArea, { land, countyLines, coastLines, stateLines }: BackgroundMap) {
  const { project, ...fit } = fitted(area);
  const line = (positions: Position[]) => `M${positions.map(project).join('L')}`;
  const ring = (positions: Position[]) => `${line(positions)}Z`;
  const paths = {
    land: land.flat().map(ring).join(''),
    countyLines: countyLines.map(line).join(''),
    coastLines: coastLines.map(line).join(''),
    stateLines: stateLines.map(line).join(''),
    area: ring(area.outline),
  };
  return { ...fit, project, paths };
}

function fitted({ outlineBox: [west, south, east, north] }: ServiceArea) {
  const [left, top] = toWebMercator([west, north]);
  const [right, bottom] = toWebMercator([east, south]);
  const scale = unitsPerSide / Math.max(right - left, bottom - top, 0.001);
  const inUnits = (length: number) => Math.round(length * scale);
  return {
    viewBox: `0 0 ${inUnits(right - left)} ${inUnits(bottom - top)}`,
    project: (position: Position) => {
      const [x, y] = toWebMercator(position);
      return `${inUnits(x - left)} ${inUnits(y - top)}`;
    },
    /** The projection keeps small circles round. */
    unitsPerMileAt: ([, latitude]: Position) => (scale * longitudeStretch(latitude)) / milesPerDegree,
  };
}

/**
 * The projection of the interactive map, so that both maps agree.
 * @returns x to the east and y to the south, in degrees of longitude
 */
function toWebMercator([longitude, latitude]: Position): [x: number, y: number] {
  const radians = (latitude * Math.PI) / 180;
  return [longitude, (-Math.log(Math.tan(Math.PI / 4 + radians / 2)) * 180) / Math.PI];
}
