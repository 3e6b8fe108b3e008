'use client';

import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import type { LatLng } from '#src/geo/geometry.ts';
import { Notice } from '../ui/notice.tsx';
import { Panel } from '../ui/panel.tsx';
import { AreaMap } from './area-map.tsx';
import { PointForm } from './point-form.tsx';
import { type PointAnswer, PointAnswerNotice } from './point-result.tsx';
import { type DrawnArea, useWholeRing } from './service-area-ring.ts';
import type { TileSource } from './street-tiles.tsx';
import { pointText } from './typed-point.ts';

export type PointCheckProps = {
  cityName: string;
  area: DrawnArea;
  centre: LatLng;
  baseMapAddress: string;
  tiles: TileSource | undefined;
  lastMile: number;
  /** What the address asked for, answered by the server. */
  first: { text: string; answer?: PointAnswer | undefined; error?: string | undefined };
  check: (point: LatLng, ring: LatLng[]) => PointAnswer;
  /** The drawn picture of the area. */
  children: ReactNode;
};

/** The map and the question one has of it: do deliveries reach this point, and for how much. */
export function PointCheck({ cityName, area, centre, check, lastMile, first, ...rest }: PointCheckProps) {
  const [text, setText] = useState(first.text);
  const [error, setError] = useState(first.error);
  const [asked, setAsked] = useState<LatLng>();
  const { ring, hasFailed, tryAgain } = useWholeRing(area, asked !== undefined);
  const answer = useMemo(
    () => (asked ? ring && check(asked, ring) : first.answer),
    [asked, ring, check, first.answer],
  );
  const said = useRef<HTMLDivElement>(null);
  // On a phone the answer stands below the map that was tapped.
  useEffect(() => {
    if (asked) said.current?.scrollIntoView({ block: 'nearest' });
  }, [asked]);
  const handlePoint = (point: LatLng) => {
    setText(pointText(point));
    setError(undefined);
    setAsked(point);
    if (hasFailed) tryAgain();
  };
  return (
    <div className="grid gap-4 sm:gap-6 desk:grid-cols-12">
      <div className="relative isolate h-80 overflow-hidden rounded-panel border border-line sm:h-[30rem] desk:col-span-8 desk:h-[33rem]">
        <AreaMap
          isAtOnce
          area={area}
          centre={centre}
          centreName={cityName}
          baseMapAddress={rest.baseMapAddress}
          tiles={rest.tiles}
          picked={asked ?? first.answer?.point ?? null}
          onPick={handlePoint}
          label={`Map of the service area of ${cityName}. Arrow keys move it, plus and minus zoom, Enter checks the point in the middle.`}
        >
          <div className={asked && 'map-asked-anew'}>{rest.children}</div>
        </AreaMap>
      </div>
      <Panel id="check" title="Do we deliver there?" className="desk:col-span-4">
        <div ref={said} role="status" className="mb-4 min-h-32">
          {answer ? (
            <PointAnswerNotice answer={answer} cityName={cityName} lastMile={lastMile} />
          ) : (
            <NoAnswer asked={asked} hasFailed={hasFailed} />
          )}
        </div>
        <PointForm
          example={centre}
          text={text}
          onText={setText}
          error={error}
          onError={setError}
          isChecking={asked !== undefined && text === pointText(asked) && !answer && !hasFailed}
          onPoint={handlePoint}
        />
      </Panel>
    </div>
  );
}

function NoAnswer({ asked, hasFailed }: { asked: LatLng | undefined; hasFailed: boolean }) {
  if (asked && hasFailed) {
    return (
      <Notice tone="warn" title="This point is not checked yet.">
        The service area could not be loaded in full. Check the point again in a minute.
      </Notice>
    );
  }
  return (
    <p className="text-muted">
      {asked
        ? `Checking ${pointText(asked)}…`
        : 'Choose a place on the map, type its coordinates, or use this device’s position. You’ll see whether it’s inside, how far it is from the center, and what a delivery there costs.'}
    </p>
  );
}
