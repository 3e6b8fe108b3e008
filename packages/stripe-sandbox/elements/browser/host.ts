/** What a page's own elements do for a field in their midst. */

/** Enter in a field sends the form around it, as it does in a field of the page's own. */
export function submitFormAround(host: HTMLElement): void {
  const form = host.closest('form');
  const button = form?.querySelector<HTMLButtonElement>(
    'button:not([type]), button[type=submit], input[type=submit]',
  );
  if (form && button && !button.disabled) form.requestSubmit(button);
}

/** @returns whether a click was on the label of this container */
export function isOnLabelOf(host: HTMLElement, event: MouseEvent): boolean {
  const label = event.target instanceof Element ? event.target.closest('label') : null;
  if (!label) return false;
  return (host.id !== '' && label.htmlFor === host.id) || label.contains(host);
}

/** @throws Error where nothing on the page is meant */
export function hostOf(target: string | HTMLElement): HTMLElement {
  const host = typeof target === 'string' ? document.querySelector<HTMLElement>(target) : target;
  if (host) return host;
  throw new Error('The selector you specified applies to no DOM elements that are currently on the page.');
}
