'use client';

import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import {
  type PointCheck as CheckedPoint,
  checkPoint,
  type PriceStep,
  priceStepFor,
} from '#src/cities/delivery-price.ts';
import type { FoundAddress } from '#src/geo/geocoder.ts';
import type { Position } from '#src/geo/position.ts';
import type { SimplifiedRing } from '#src/geo/service-area.ts';
import { dollarsOf } from '#src/money.ts';
import { ApiError, fetchJson } from '../api.ts';
import { FailureNotice } from '../ui/failure-notice.tsx';
import { Notice } from '../ui/notice.tsx';
import { Panel } from '../ui/panel.tsx';
import { SupportContact } from '../ui/support-contact.tsx';
import { AreaMap } from './area-map.tsx';
import { formatMeasuredMiles, formatPosition, formatSpan, noAddresses, searchFailed } from './format.ts';
import { devicePosition, focusPoint, PointForm } from './point-form.tsx';
import { useFullRing } from './service-area-ring.ts';
import type { TileSource } from './street-tiles.tsx';

type PointCheckProps = {
  city: {
    name: string;
    isActive: boolean;
    center: Position;
    priceSteps: PriceStep[];
    basePriceCents: number;
  };
  /** Whether addresses can be searched. */
  hasSearch: boolean;
  simplifiedRing: SimplifiedRing;
  backgroundMapUrl: string;
  tiles: TileSource | undefined;
  /** The point in the page's URL, checked by the server. */
  initial: {
    text: string;
    result: CheckedPoint | undefined;
    addresses: FoundAddress[] | undefined;
    error: string | undefined;
  };
  /** The static map. */
  children: ReactNode;
};

export function PointCheck({ city, simplifiedRing, initial, hasSearch, ...rest }: PointCheckProps) {
  const [text, setText] = useState(initial.text);
  const [error, setError] = useState(initial.error);
  const [addresses, setAddresses] = useState(initial.addresses ?? []);
  const [selected, setSelected] = useState<Position>();
  const [selectedName, setSelectedName] = useState<string>();
  const { ring, hasFailed, retry } = useFullRing(simplifiedRing, selected !== undefined);
  const result = useMemo(
    () => (selected ? ring && checkPoint(selected, { ...city, ring }) : initial.result),
    [selected, ring, city, initial.result],
  );
  const status = useRef<HTMLDivElement>(null);
  // On a phone the result is below the map that was tapped.
  useEffect(() => {
    if (selected) status.current?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  const search = useMutation({
    mutationFn: (address: string) =>
      fetchJson<{ addresses: FoundAddress[] }>('/service-area/addresses', {
        method: 'POST',
        body: { address },
      }),
  });
  const locate = useMutation({ mutationFn: devicePosition });
  const ignoreAwaited = () => {
    search.reset();
    locate.reset();
  };
  const startOver = () => {
    setAddresses([]);
    setError(undefined);
    ignoreAwaited();
  };
  const handleText = (changed: string) => {
    setText(changed);
    ignoreAwaited();
  };
  const handleSelect = (point: Position, name?: string) => {
    startOver();
    setText(name ?? formatPosition(point));
    setSelectedName(name);
    setSelected(point);
    if (hasFailed) retry();
  };
  // Options of `mutate`, because those of `useMutation` are called after `reset` too.
  const handleAddress = (address: string) => {
    startOver();
    search.mutate(address, {
      onSuccess: ({ addresses: [first, ...others] }) => {
        if (!first) {
          setError(noAddresses);
          return focusPoint();
        }
        if (others.length === 0) return handleSelect(first.point, first.name);
        setAddresses([first, ...others]);
      },
      onError: (problem) => isSearchBroken(problem) && setError(searchFailed),
    });
  };
  const handleLocate = () => {
    startOver();
    locate.mutate(undefined, {
      onSuccess: (point) => handleSelect(point),
      onError: ({ message }) => setError(message),
    });
  };
  const isChecking = selected !== undefined && !result && !hasFailed;
  return (
    <div className="grid gap-4 sm:gap-6 desk:grid-cols-12">
      <div className="relative isolate h-80 max-h-[70svh] overflow-hidden rounded-panel border border-line sm:h-[30rem] desk:col-span-8 desk:h-[33rem]">
        <AreaMap
          eager
          simplifiedRing={simplifiedRing}
          center={city.center}
          cityName={city.name}
          backgroundMapUrl={rest.backgroundMapUrl}
          tiles={rest.tiles}
          selectedPoint={selected ?? initial.result?.point ?? null}
          priceSteps={city.priceSteps}
          onSelect={handleSelect}
          label={`Map of the service area of ${city.name}. Arrow keys move it, plus and minus zoom, Enter checks the point in the middle.`}
        >
          <div className={selected && 'map-selection-changed'}>{rest.children}</div>
        </AreaMap>
      </div>
      <Panel id="check" title="Do we deliver there?" className="desk:col-span-4">
        <div ref={status} role="status" className="mb-4 min-h-32">
          {result ? (
            <PointResult result={result} name={selected && selectedName} city={city} />
          ) : (
            <NoResult selected={selected} hasFailed={hasFailed} hasSearch={hasSearch} />
          )}
        </div>
        {search.error && !isSearchBroken(search.error) && (
          <FailureNotice error={search.error} outcome="We didn’t search for this address." className="mb-4" />
        )}
        <PointForm
          example={city.center}
          text={text}
          onText={handleText}
          error={error}
          onError={setError}
          isChecking={search.isPending || (isChecking && text === formatPosition(selected))}
          onPoint={handleSelect}
          isLocating={locate.isPending}
          onLocate={handleLocate}
          hasSearch={hasSearch}
          onAddress={handleAddress}
          addresses={addresses}
        />
      </Panel>
    </div>
  );
}

const isSearchBroken = (error: Error) => error instanceof ApiError && error.failure === 'server_error';

type PointResultProps = {
  result: CheckedPoint;
  name: string | undefined;
  city: PointCheckProps['city'];
};

function PointResult({ result, name, city }: PointResultProps) {
  const { point, isInside, distanceMiles, priceCents } = result;
  return (
    <Notice
      tone={isInside && city.isActive && priceCents !== null ? 'good' : 'warn'}
      title={isInside ? 'Inside the service area' : 'Outside the service area'}
    >
      <p>
        <span className="tabular-nums">{name ?? formatPosition(point)}</span> is{' '}
        {formatMeasuredMiles(distanceMiles)} from the center of {city.name}. {priceSentence(result, city)}
      </p>
      {isInside && city.isActive && <PriceArithmetic result={result} city={city} />}
    </Notice>
  );
}

function priceSentence(
  { isInside, priceCents }: CheckedPoint,
  { isActive, priceSteps }: PointCheckProps['city'],
): ReactNode {
  if (!isInside) return 'We don’t deliver there.';
  if (!isActive) return 'Deliveries there are paused for now.';
  if (priceCents !== null) return `A delivery there costs ${dollarsOf(priceCents)}.`;
  const milesMax = (priceSteps.at(-1)?.milesMax ?? 0).toLocaleString('en-US');
  return (
    <>
      That’s beyond our {milesMax}-mile price list. Contact <SupportContact /> for a quote.
    </>
  );
}

/** `Base price $6.50 + $2.25 for over 3, up to 6 miles` */
function PriceArithmetic({ result: { distanceMiles }, city }: Omit<PointResultProps, 'name'>) {
  const { priceSteps, basePriceCents } = city;
  const step = priceStepFor(priceSteps, distanceMiles);
  if (!step) return null;
  const previous = priceSteps[priceSteps.indexOf(step) - 1];
  const span = formatSpan(previous?.milesMax, step.milesMax);
  return (
    <p className="mt-1 text-small text-muted tabular-nums">
      Base price {dollarsOf(basePriceCents)} + {dollarsOf(step.priceCents - basePriceCents)} for {span}
    </p>
  );
}

type NoResultProps = { selected: Position | undefined; hasFailed: boolean; hasSearch: boolean };

function NoResult({ selected, hasFailed, hasSearch }: NoResultProps) {
  if (selected && hasFailed) {
    return (
      <Notice tone="warn" title="We couldn’t check this point.">
        The full service area didn’t load. Try again in a minute.
      </Notice>
    );
  }
  if (selected) return <p className="text-muted">Checking {formatPosition(selected)}…</p>;
  return (
    <p className="text-muted">
      <span className="noscript:hidden">
        Choose a point on the map, enter {hasSearch ? 'an address or coordinates' : 'its coordinates'}, or use
        this device’s location.
      </span>
      <span className="hidden noscript:inline">
        Enter {hasSearch ? 'an address or coordinates' : 'the coordinates of a point'}.
      </span>{' '}
      You’ll see whether it’s inside, how far it is from the center, and what a delivery there costs.
    </p>
  );
}
