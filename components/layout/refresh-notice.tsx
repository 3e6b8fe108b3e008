'use client';

import { type Query, useQueryClient } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import { ApiError } from '../api.ts';
import { FailureNotice } from '../ui/failure-notice.tsx';

/** When what the page shows could not be brought up to date: one notice for all of it, whatever failed. */
export function RefreshNotice() {
  const client = useQueryClient();
  const cache = client.getQueryCache();
  const subscribe = useCallback((listener: () => void) => cache.subscribe(listener), [cache]);
  const error = useSyncExternalStore(
    subscribe,
    () => cache.getAll().find(isToBeSaid)?.state.error ?? null,
    () => null,
  );
  if (!error) return null;
  const retry = () => void client.refetchQueries({ predicate: ({ state }) => state.status === 'error' });
  return (
    <FailureNotice error={error} safe="What you see may be out of date." onRetry={retry} className="mb-6" />
  );
}

/** What says itself, where it is missed, that it did not come (`meta.isSaidInPlace`) leaves only an ended session to be said. */
function isToBeSaid({ state: { status, error }, meta }: Query): boolean {
  if (status !== 'error') return false;
  return !meta?.isSaidInPlace || (error instanceof ApiError && error.failure === 'signed_out');
}
