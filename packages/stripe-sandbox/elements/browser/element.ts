/** A card field as the page sees it. */
import { FrameLink, HostClasses, hostOf, isOnLabelOf, submitFormAround } from './frame-host.ts';
import type { FieldOptions, FieldState, FieldType, FromFrame, TokenResult } from './protocol.ts';

type Handler = (event: object) => unknown;

export class Emitter {
  private readonly handlers = new Map<string, Set<Handler>>();

  on(event: string, handler: Handler): this {
    const known = this.handlers.get(event) ?? new Set();
    this.handlers.set(event, known.add(handler));
    return this;
  }

  once(event: string, handler: Handler): this {
    const single = (value: object) => {
      this.off(event, single);
      handler(value);
    };
    return this.on(event, single);
  }

  /** Without a handler, removes all handlers of the event. */
  off(event: string, handler?: Handler): this {
    if (handler) this.handlers.get(event)?.delete(handler);
    else this.handlers.delete(event);
    return this;
  }

  protected has(event: string): boolean {
    return (this.handlers.get(event)?.size ?? 0) > 0;
  }

  protected emit(event: string, value: object): void {
    for (const handler of [...(this.handlers.get(event) ?? [])]) handler(value);
  }
}

const CONNECT_TIMEOUT_MS = 10_000;

type Options = FieldOptions & { classes?: Record<string, string> };

export class CardElement extends Emitter {
  readonly type: FieldType;
  private readonly group: string;
  private readonly whenDestroyed: () => void;
  private options: Options;
  private host: HTMLElement | undefined;
  private link: FrameLink | undefined;
  private readonly classes = new HostClasses();
  private isReady = false;
  private isDestroyed = false;
  private loading: ReturnType<typeof setTimeout> | undefined;
  private readonly pendingTokens = new Map<number, (result: TokenResult) => void>();
  private tokenRequestCount = 0;

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
    const host = hostOf(target);
    if (host === this.host) return;
    this.unmount();
    this.host = host;
    this.classes.attach(host, this.options.classes ?? {});
    const start = () => ({ kind: 'start', group: this.group, options: frameOptions(this.options) }) as const;
    this.link = new FrameLink(this.type, start, (message) => this.receive(message));
    host.replaceChildren(this.link.frame);
    host.addEventListener('click', this.focus);
    document.addEventListener('click', this.focusByLabel);
    this.loading = setTimeout(() => this.failToLoad(), CONNECT_TIMEOUT_MS);
  }

  unmount(): void {
    clearTimeout(this.loading);
    this.link?.remove();
    this.host?.removeEventListener('click', this.focus);
    document.removeEventListener('click', this.focusByLabel);
    this.classes.detach();
    this.host = undefined;
    this.link = undefined;
    this.isReady = false;
    this.failPendingTokens();
  }

  destroy(): void {
    this.unmount();
    this.isDestroyed = true;
    this.whenDestroyed();
  }

  update(changes: Options): void {
    this.options = { ...this.options, ...changes };
    if (changes.classes) this.classes.rename(changes.classes);
    this.link?.send({ kind: 'update', options: frameOptions(changes) });
  }

  focus = (): void => this.link?.focus();

  blur(): void {
    this.link?.send({ kind: 'blur' });
  }

  clear(): void {
    this.link?.send({ kind: 'clear' });
  }

  /** Called on the number field only. Its frame reads the other fields from their frames. */
  tokenize(key: string, data: Record<string, string>): Promise<TokenResult> {
    if (!this.link) return Promise.resolve(gone());
    this.tokenRequestCount += 1;
    const id = this.tokenRequestCount;
    return new Promise((resolve) => {
      this.pendingTokens.set(id, resolve);
      const request = () => this.link?.send({ kind: 'tokenize', id, key, data });
      if (this.isReady) request();
      else this.once('ready', request);
    });
  }

  private receive(message: FromFrame): void {
    const { kind } = message;
    if (kind === 'change') this.changed(message.state);
    if (kind === 'focus' || kind === 'blur') this.classes.set('focus', kind === 'focus');
    if (kind === 'submit' && this.host) submitFormAround(this.host);
    if (kind === 'tokenized') {
      this.pendingTokens.get(message.id)?.(message.result);
      this.pendingTokens.delete(message.id);
    }
    if (kind === 'ready') {
      clearTimeout(this.loading);
      this.isReady = true;
    }
    if (kind === 'ready' || kind === 'focus' || kind === 'blur' || kind === 'escape')
      this.emit(kind, { elementType: this.type });
  }

  private changed(state: FieldState): void {
    this.classes.set('empty', state.empty);
    this.classes.set('complete', state.complete);
    this.classes.set('invalid', state.error !== undefined);
    this.emit('change', { elementType: this.type, value: undefined, ...state });
  }

  private focusByLabel = (event: MouseEvent): void => {
    if (this.host && isOnLabelOf(this.host, event)) this.focus();
  };

  private failToLoad(): void {
    const message = "The card field didn't load.";
    this.emit('loaderror', { elementType: this.type, error: { type: 'api_connection_error', message } });
    this.failPendingTokens();
  }

  private failPendingTokens(): void {
    for (const resolve of this.pendingTokens.values()) resolve(gone());
    this.pendingTokens.clear();
  }
}

function gone(): TokenResult {
  const message = "The card field isn't on the page, so it can't create a token.";
  return { error: { type: 'api_connection_error', message } };
}

/** @returns plain data that can be posted to the frame, without options that are undefined */
function frameOptions({ style, placeholder, disabled }: Options): FieldOptions {
  return JSON.parse(JSON.stringify({ style, placeholder, disabled }));
}
