'use client';

import { PointCheck, type PointCheckProps } from '#components/service-area/point-check.tsx';
import type { PriceStep } from '#components/service-area/price-plot.tsx';
import { answerFor } from './answer-for.ts';

type AreaCheckProps = Omit<PointCheckProps, 'check' | 'lastMile'> & { prices: PriceStep[] };

/** The map and its question, answered in the browser: a device's position never leaves it. */
export function AreaCheck({ prices, ...rest }: AreaCheckProps) {
  return (
    <PointCheck
      {...rest}
      lastMile={prices.at(-1)?.mile ?? 0}
      check={(point, area) => answerFor(point, area, { centre: rest.centre, prices })}
    />
  );
}
