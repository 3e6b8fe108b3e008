/** A card field's place in the page: its container, its frame, and the channel between the page and the frame. */
import { type ApiError, FIELDS, type FieldType, type FromFrame, type ToFrame } from './protocol.ts';

const { currentScript } = document;
export const sandboxOrigin =
  currentScript instanceof HTMLScriptElement ? new URL(currentScript.src).origin : window.location.origin;

const REQUEST_TIMEOUT_MS = 30_000;

/** Calls the sandbox's API. @returns its response under the name, or its error @param unreachable the error's message */
export async function request<Name extends string, Value>(
  name: Name,
  path: string,
  body?: URLSearchParams,
  unreachable = 'The connection to the payment processor was lost.',
): Promise<Record<Name, Value> | { error: ApiError }> {
  try {
    const response = await fetch(sandboxOrigin + path, {
      ...(body && { method: 'POST', body }),
      credentials: 'omit',
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    const result = await response.json();
    return response.ok ? ({ [name]: result } as Record<Name, Value>) : { error: result.error };
  } catch {
    return { error: { type: 'api_connection_error', message: unreachable } };
  }
}

export class FrameLink {
  readonly frame: HTMLIFrameElement;
  private port: MessagePort | undefined;
  private readonly firstMessage: () => ToFrame;
  private readonly receive: (message: FromFrame) => void;

  /** @param firstMessage called each time the frame loads */
  constructor(type: FieldType, firstMessage: () => ToFrame, receive: (message: FromFrame) => void) {
    this.firstMessage = firstMessage;
    this.receive = receive;
    this.frame = document.createElement('iframe');
    this.frame.src = sandboxOrigin + FIELDS[type].path;
    this.frame.title = FIELDS[type].title;
    this.frame.setAttribute('scrolling', 'no');
    Object.assign(this.frame.style, {
      border: 'none',
      display: 'block',
      width: '100%',
      height: '1.2em',
      // A frame whose color scheme differs from its content's is painted opaque.
      colorScheme: 'normal',
      background: 'transparent',
    });
    this.frame.addEventListener('load', () => this.connect());
  }

  send(message: ToFrame): void {
    this.port?.postMessage(message);
  }

  focus(): void {
    this.frame.focus();
    this.send({ kind: 'focus' });
  }

  remove(): void {
    this.port?.close();
    this.port = undefined;
    this.frame.remove();
  }

  /** A frame that is moved in the document reloads, so each load gets its own channel. */
  private connect(): void {
    const { port1, port2 } = new MessageChannel();
    this.port?.close();
    this.port = port1;
    port1.onmessage = (event: MessageEvent<FromFrame>) => {
      if (event.data.kind === 'height') this.frame.style.height = `${event.data.heightPx}px`;
      else this.receive(event.data);
    };
    this.frame.contentWindow?.postMessage(this.firstMessage(), sandboxOrigin, [port2]);
  }
}

const DEFAULT_CLASSES: Record<string, string> = {
  base: 'StripeElement',
  focus: 'StripeElement--focus',
  complete: 'StripeElement--complete',
  empty: 'StripeElement--empty',
  invalid: 'StripeElement--invalid',
};

const INITIAL_STATES = ['base', 'empty'];

/** Keeps the CSS classes of a field's container in sync with the field. */
export class HostClasses {
  private host: HTMLElement | undefined;
  private names = DEFAULT_CLASSES;
  private active = new Set(INITIAL_STATES);

  attach(host: HTMLElement, names: Record<string, string>): void {
    this.host = host;
    this.names = { ...this.names, ...names };
    this.toggle(this.active, true);
  }

  set(state: string, isOn: boolean): void {
    if (isOn) this.active.add(state);
    else this.active.delete(state);
    this.toggle([state], isOn);
  }

  rename(names: Record<string, string>): void {
    this.toggle(this.active, false);
    this.names = { ...this.names, ...names };
    this.toggle(this.active, true);
  }

  detach(): void {
    this.toggle(this.active, false);
    this.active = new Set(INITIAL_STATES);
    this.host = undefined;
  }

  private toggle(states: Iterable<string>, isOn: boolean): void {
    const classes = [...states].flatMap((state) => (this.names[state] ?? '').split(/\s+/).filter(Boolean));
    for (const name of classes) this.host?.classList.toggle(name, isOn);
  }
}

/** Enter in a card field submits the form around it, as in any other input. */
export function submitFormAround(host: HTMLElement): void {
  const form = host.closest('form');
  const button = form?.querySelector<HTMLButtonElement>(
    'button:not([type]), button[type=submit], input[type=submit]',
  );
  if (form && button && !button.disabled) form.requestSubmit(button);
}

export function isOnLabelOf(host: HTMLElement, event: MouseEvent): boolean {
  const label = event.target instanceof Element ? event.target.closest('label') : null;
  if (!label) return false;
  return (host.id !== '' && label.htmlFor === host.id) || label.contains(host);
}

/** @throws Error if the selector matches no element */
export function hostOf(target: string | HTMLElement): HTMLElement {
  const host = typeof target === 'string' ? document.querySelector<HTMLElement>(target) : target;
  if (host) return host;
  throw new Error('The selector you specified applies to no DOM elements that are currently on the page.');
}
