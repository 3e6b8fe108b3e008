import { useLinkStatus } from 'next/link';
import { Pending } from './pending.tsx';

/** In a `Link`, announces that its page is loading. */
export function LinkPending() {
  return <Pending isPending={useLinkStatus().pending} />;
}
