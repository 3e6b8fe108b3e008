import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { CustomerResponse } from '#src/api/schemas/customer.ts';
import type { LatLng } from '#src/geo/geometry.ts';
import { callApi } from '../api.ts';

/** A service area as a page brings it: whole, or with the points that one sees when the map opens. */
export type DrawnArea = {
  /** The ring as JSON, the last point repeating the first: a third of the size of the same as properties. */
  ring: string;
  /** The ring looks like the whole one while its longer side has no more pixels; infinite where it is the whole one. */
  sharpUpToPx: number;
};

/** The points that the page brought. */
export function useDrawnRing({ ring }: DrawnArea): LatLng[] {
  return useMemo(() => ringOf(ring), [ring]);
}

/**
 * Every point of the area. One of fifty thousand points is a megabyte and more, so only when it is wanted the rest of it is
 * asked for, once for all who want it.
 */
export function useWholeRing(area: DrawnArea, isWanted: boolean) {
  const drawn = useDrawnRing(area);
  const isWhole = area.sharpUpToPx === Number.POSITIVE_INFINITY;
  const { data, isError, isFetching, refetch } = useQuery({
    // By what the page brought: of an area that was changed meanwhile the old rest is of no use.
    queryKey: ['whole ring', area.ring],
    queryFn: async ({ signal }) => {
      const { customer } = await callApi<CustomerResponse>('customers/detail', { signal });
      return ringOf(customer.city.polygon_points);
    },
    enabled: isWanted && !isWhole,
    staleTime: Number.POSITIVE_INFINITY,
    // Fifty thousand points need not be compared with none.
    structuralSharing: false,
    // Without a connection it should fail and say so, not wait in silence.
    networkMode: 'always',
    meta: { isReportedInPlace: true },
  });
  return {
    ring: isWhole ? drawn : data,
    hasFailed: isError && !isFetching,
    tryAgain: () => void refetch(),
  };
}

function ringOf(text: string): LatLng[] {
  return JSON.parse(text);
}
