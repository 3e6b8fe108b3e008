/** A card field as the page sees it: a frame in its container, and what the field says of itself. */

import { FRAME_PATHS } from '../paths.ts';
import { Emitter } from './emitter.ts';
import { HostClasses } from './host-classes.ts';
import type { FieldOptions, FieldState, FieldType, FromFrame, ToFrame, TokenResult } from './messages.ts';
import { connectTimeoutMs, frameTitles, sandboxOrigin } from './page-settings.ts';

type Options = FieldOptions & { classes?: Record<string, string> };

export class CardElement extends Emitter {
  readonly type: FieldType;
  private readonly group: string;
  private readonly whenDestroyed: () => void;
  private options: Options;
  private host: HTMLElement | undefined;
  private frame: HTMLIFrameElement | undefined;
  private port: MessagePort | undefined;
  private classes = new HostClasses();
  private isReady = false;
  private isDestroyed = false;
  private loading: ReturnType<typeof setTimeout> | undefined;
  private readonly asked = new Map<number, (result: TokenResult) => void>();

  constructor(type: FieldType, group: string, options: Options, whenDestroyed: () => void) {
    super();
    this.type = type;
    this.group = group;
    this.options = options;
    this.whenDestroyed = whenDestroyed;
  }

  mount(target: string | HTMLElement): void {
    if (this.isDestroyed)
      throw new Error('This Element has already been destroyed. Please create a new one.');
    const host = typeof target === 'string' ? document.querySelector<HTMLElement>(target) : target;
    if (!host)
      throw new Error(
        'The selector you specified applies to no DOM elements that are currently on the page.',
      );
    if (host === this.host) return;
    this.unmount();
    this.host = host;
    this.classes.attach(host, this.options.classes ?? {});
    this.frame = this.newFrame();
    host.replaceChildren(this.frame);
    host.addEventListener('click', this.focus);
    document.addEventListener('click', this.focusByLabel);
    this.loading = setTimeout(() => this.failToLoad(), connectTimeoutMs);
  }

  unmount(): void {
    clearTimeout(this.loading);
    this.port?.close();
    this.frame?.remove();
    this.host?.removeEventListener('click', this.focus);
    document.removeEventListener('click', this.focusByLabel);
    this.classes.detach();
    this.host = undefined;
    this.frame = undefined;
    this.port = undefined;
    this.isReady = false;
    for (const answer of this.asked.values()) answer(gone());
    this.asked.clear();
  }

  destroy(): void {
    this.unmount();
    this.isDestroyed = true;
    this.whenDestroyed();
  }

  update(changes: Options): void {
    this.options = { ...this.options, ...changes };
    if (changes.classes) this.classes.rename(changes.classes);
    this.send({ kind: 'update', options: frameOptions(changes) });
  }

  focus = (): void => {
    this.frame?.focus();
    this.send({ kind: 'focus' });
  };

  blur(): void {
    this.send({ kind: 'blur' });
  }

  clear(): void {
    this.send({ kind: 'clear' });
  }

  /** Only the number's field does this; it has the others from their own frames. */
  tokenize(key: string, data: Record<string, string>): Promise<TokenResult> {
    if (!this.frame) return Promise.resolve(gone());
    const id = this.asked.size === 0 ? 1 : Math.max(...this.asked.keys()) + 1;
    return new Promise((resolve) => {
      this.asked.set(id, resolve);
      const ask = () => this.send({ kind: 'tokenize', id, key, data });
      if (this.isReady) ask();
      else this.once('ready', ask);
    });
  }

  private newFrame(): HTMLIFrameElement {
    const frame = document.createElement('iframe');
    frame.src = `${sandboxOrigin}${FRAME_PATHS[this.type]}`;
    frame.title = frameTitles[this.type];
    frame.setAttribute('scrolling', 'no');
    Object.assign(frame.style, {
      border: 'none',
      display: 'block',
      width: '100%',
      height: '1.2em',
      // A frame whose colour scheme differs from its content's is painted opaque.
      colorScheme: 'normal',
      background: 'transparent',
    });
    frame.addEventListener('load', () => this.connect(frame));
    return frame;
  }

  /** A frame that is moved in the document loads anew, so each load gets a channel of its own. */
  private connect(frame: HTMLIFrameElement): void {
    if (frame !== this.frame) return;
    const { port1, port2 } = new MessageChannel();
    this.port?.close();
    this.port = port1;
    port1.onmessage = (event: MessageEvent<FromFrame>) => this.hear(event.data);
    const message: ToFrame = { kind: 'start', group: this.group, options: frameOptions(this.options) };
    frame.contentWindow?.postMessage(message, sandboxOrigin, [port2]);
  }

  private send(message: ToFrame): void {
    this.port?.postMessage(message);
  }

  private hear(message: FromFrame): void {
    if (message.kind === 'height' && this.frame) this.frame.style.height = `${message.heightPx}px`;
    if (message.kind === 'change') this.changed(message.state);
    if (message.kind === 'focus' || message.kind === 'blur')
      this.classes.set('focus', message.kind === 'focus');
    if (message.kind === 'submit') submitForm(this.host);
    if (message.kind === 'tokenized') {
      this.asked.get(message.id)?.(message.result);
      this.asked.delete(message.id);
    }
    if (message.kind === 'ready') {
      clearTimeout(this.loading);
      this.isReady = true;
    }
    if (['ready', 'focus', 'blur', 'escape'].includes(message.kind))
      this.emit(message.kind, { elementType: this.type });
  }

  private changed(state: FieldState): void {
    this.classes.set('empty', state.empty);
    this.classes.set('complete', state.complete);
    this.classes.set('invalid', state.error !== undefined);
    this.emit('change', { elementType: this.type, value: undefined, ...state });
  }

  private focusByLabel = (event: MouseEvent): void => {
    const label = event.target instanceof Element ? event.target.closest('label') : null;
    const { host } = this;
    if (!label || !host) return;
    if ((host.id !== '' && label.htmlFor === host.id) || label.contains(host)) this.focus();
  };

  private failToLoad(): void {
    const message = 'The card field could not be loaded.';
    this.emit('loaderror', { elementType: this.type, error: { type: 'api_connection_error', message } });
    for (const answer of this.asked.values()) answer(gone());
    this.asked.clear();
  }
}

function gone(): TokenResult {
  const message = 'The card field is not on the page, so there is nothing to make a token of.';
  return { error: { type: 'api_connection_error', message } };
}

function frameOptions({ style, placeholder, disabled }: Options): FieldOptions {
  return {
    ...(style === undefined ? {} : { style: JSON.parse(JSON.stringify(style)) }),
    ...(placeholder === undefined ? {} : { placeholder }),
    ...(disabled === undefined ? {} : { disabled }),
  };
}

/** Enter in a field sends the form around it, as it does in a field of the page's own. */
function submitForm(host: HTMLElement | undefined): void {
  const form = host?.closest('form');
  const button = form?.querySelector<HTMLButtonElement>(
    'button:not([type]), button[type=submit], input[type=submit]',
  );
  if (form && button && !button.disabled) form.requestSubmit(button);
}
