import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { CustomerResponse } from '#src/api/operations/get-customer.ts';
import { type Position, parseRing } from '#src/geo/position.ts';
import type { SimplifiedRing } from '#src/geo/service-area.ts';
import { callApi } from '../api.ts';

/** The ring that the page embeds. */
export function useSimplifiedRing({ text }: SimplifiedRing): Position[] {
  return useMemo(() => parseRing(text), [text]);
}

/**
 * Every position of the ring. 50,000 of them are more than a megabyte, so unless the page embeds them all, they are
 * requested when first needed, once for all callers.
 */
export function useFullRing(simplified: SimplifiedRing, isNeeded: boolean) {
  const embedded = useSimplifiedRing(simplified);
  const isEmbedded = simplified.fullDetailAbovePx === Number.POSITIVE_INFINITY;
  const { data, isError, isFetching, refetch } = useQuery({
    // Keyed by the simplified ring: the full ring of an area that has changed since is of no use.
    queryKey: ['full ring', simplified.text],
    queryFn: async ({ signal }) => {
      const { customer } = await callApi<CustomerResponse>('customers/detail', { signal });
      return parseRing(customer.city.polygon_points);
    },
    enabled: isNeeded && !isEmbedded,
    staleTime: Number.POSITIVE_INFINITY,
    // Comparing 50,000 positions with none takes time.
    structuralSharing: false,
    // Offline, it should fail and say so, not wait.
    networkMode: 'always',
    meta: { isReportedInline: true },
  });
  return {
    ring: isEmbedded ? embedded : data,
    hasFailed: isError && !isFetching,
    retry: () => void refetch(),
  };
}
