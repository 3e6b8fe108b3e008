'use client';

import { useSyncExternalStore } from 'react';
import { Notice } from '../ui/notice.tsx';

function subscribe(listener: () => void): () => void {
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
}

export function OfflineNotice() {
  const isOnline = useSyncExternalStore(
    subscribe,
    () => navigator.onLine,
    () => true,
  );
  return (
    <div role="status">
      {!isOnline && (
        <Notice tone="warn" title="You’re offline." className="mb-6">
          This page may be out of date. Reconnect to make changes.
        </Notice>
      )}
    </div>
  );
}
