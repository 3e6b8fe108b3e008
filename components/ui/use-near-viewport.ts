import { type RefObject, useEffect } from 'react';

type NearViewportOptions = { marginPixels: number; isNear?: boolean };

/** Calls back when the element is in the viewport or that far below it, or immediately if `isNear`. */
export function useNearViewport(
  element: RefObject<Element | null>,
  onNear: () => void,
  { marginPixels, isNear = false }: NearViewportOptions,
): void {
  useEffect(() => {
    if (isNear) return onNear();
    if (!element.current) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        onNear();
      },
      { rootMargin: `0px 0px ${marginPixels}px` },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element, onNear, marginPixels, isNear]);
}
