import { type Query, useQueryClient } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import { ApiError } from '../api.ts';
import { FailureNotice } from '../ui/failure-notice.tsx';
import { Notice } from '../ui/notice.tsx';
import { useOfflineGuard } from './offline-guard.ts';

function subscribeToConnection(listener: () => void): () => void {
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
}

export function OfflineNotice() {
  const isOnline = useSyncExternalStore(
    subscribeToConnection,
    () => navigator.onLine,
    () => true,
  );
  const hasBlocked = useOfflineGuard(isOnline);
  return (
    <div role="status" className="offline-notice sticky top-3 z-30">
      {!isOnline && (
        <Notice tone="warn" title="You’re offline." className="mb-6">
          {hasBlocked
            ? 'Reconnect and try again. This page stays as it is.'
            : 'This page may be out of date. Reconnect to make changes.'}
        </Notice>
      )}
    </div>
  );
}

/** One notice for all queries that could not be refreshed. */
export function RefreshNotice() {
  const client = useQueryClient();
  const cache = client.getQueryCache();
  const subscribe = useCallback((listener: () => void) => cache.subscribe(listener), [cache]);
  const error = useSyncExternalStore(
    subscribe,
    () => cache.getAll().find(shouldReport)?.state.error ?? null,
    () => null,
  );
  if (!error) return null;
  const retry = () => void client.refetchQueries({ predicate: ({ state }) => state.status === 'error' });
  return (
    <FailureNotice error={error} outcome="This page may be out of date." onRetry={retry} className="mb-6" />
  );
}

/** Queries of the page; those with `meta.isReportedInline` report their failures themselves, except an ended session. */
function shouldReport(query: Query): boolean {
  const { status, error } = query.state;
  if (status !== 'error' || !query.isActive()) return false;
  return !query.meta?.isReportedInline || (error instanceof ApiError && error.failure === 'signed_out');
}
