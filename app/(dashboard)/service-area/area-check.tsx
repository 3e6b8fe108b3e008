'use client';

import { useCallback } from 'react';
import { PointCheck, type PointCheckProps } from '#components/service-area/point-check.tsx';
import { answerFor, type PricedCity } from './point-result.ts';

type AreaCheckProps = Omit<PointCheckProps, 'check'> & { city: PricedCity };

/** The map and its question, answered in the browser: a device's position never leaves it. */
export function AreaCheck({ city, ...rest }: AreaCheckProps) {
  const check = useCallback<PointCheckProps['check']>((point, ring) => answerFor(point, ring, city), [city]);
  return <PointCheck {...rest} check={check} />;
}
