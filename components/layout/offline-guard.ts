import { useEffect, useState } from 'react';

/**
 * Keeps the page when a link or a form would replace it with the browser's error page.
 * @returns whether it did
 */
export function useOfflineGuard(isOnline: boolean): boolean {
  const [hasBlocked, setBlocked] = useState(false);
  useEffect(() => {
    if (isOnline) return;
    let isReachable = false;
    const guard = async (event: Event) => {
      const repeat = isReachable ? undefined : leaving(event);
      if (!repeat) return;
      event.preventDefault();
      event.stopPropagation();
      isReachable = await canReachService();
      if (isReachable) repeat();
      else setBlocked(true);
      isReachable = false;
    };
    document.addEventListener('click', guard, true);
    document.addEventListener('submit', guard, true);
    return () => {
      document.removeEventListener('click', guard, true);
      document.removeEventListener('submit', guard, true);
      setBlocked(false);
    };
  }, [isOnline]);
  return hasBlocked;
}

/** @returns what leaves the page again; undefined if the event stays on it or opens a new tab */
function leaving(event: Event): (() => void) | undefined {
  if (!(event.target instanceof Element)) return undefined;
  if (event instanceof SubmitEvent) {
    const form = event.target.closest<HTMLFormElement>('form[action^="/"]:not([data-works-offline])');
    return form ? () => form.requestSubmit(event.submitter) : undefined;
  }
  const link = event.target.closest<HTMLAnchorElement>('a[href]:not([target], [data-works-offline] *)');
  const hasModifier = event instanceof MouseEvent && (event.ctrlKey || event.metaKey || event.shiftKey);
  const isHere = link?.pathname === location.pathname && link.search === location.search;
  return link && !hasModifier && !isHere && link.origin === location.origin ? () => link.click() : undefined;
}

/** A browser without a network can still reach a service on the same machine. */
function canReachService(): Promise<boolean> {
  return fetch('/icon.svg', { method: 'HEAD', cache: 'no-store' }).then(
    () => true,
    () => false,
  );
}
