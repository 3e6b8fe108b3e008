/** A card field as the page sees it: a frame in its container, and what the field says of itself. */
import { Emitter } from './emitter.ts';
import { FrameLink } from './frame-link.ts';
import { hostOf, isOnLabelOf, submitFormAround } from './host.ts';
import { HostClasses } from './host-classes.ts';
import type { FieldOptions, FieldState, FieldType, FromFrame, TokenResult } from './messages.ts';
import { connectTimeoutMs } from './page-settings.ts';

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
  private readonly asked = new Map<number, (result: TokenResult) => void>();
  private askedCount = 0;

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
    this.link = new FrameLink(this.type, start, (message) => this.hear(message));
    host.replaceChildren(this.link.frame);
    host.addEventListener('click', this.focus);
    document.addEventListener('click', this.focusByLabel);
    this.loading = setTimeout(() => this.failToLoad(), connectTimeoutMs);
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
    this.giveUpAsked();
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

  /** Only the number's field does this; it has the others from their own frames. */
  tokenize(key: string, data: Record<string, string>): Promise<TokenResult> {
    if (!this.link) return Promise.resolve(gone());
    this.askedCount += 1;
    const id = this.askedCount;
    return new Promise((resolve) => {
      this.asked.set(id, resolve);
      const ask = () => this.link?.send({ kind: 'tokenize', id, key, data });
      if (this.isReady) ask();
      else this.once('ready', ask);
    });
  }

  private hear(message: FromFrame): void {
    const { kind } = message;
    if (kind === 'change') this.changed(message.state);
    if (kind === 'focus' || kind === 'blur') this.classes.set('focus', kind === 'focus');
    if (kind === 'submit' && this.host) submitFormAround(this.host);
    if (kind === 'tokenized') {
      this.asked.get(message.id)?.(message.result);
      this.asked.delete(message.id);
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
    const message = 'The card field could not be loaded.';
    this.emit('loaderror', { elementType: this.type, error: { type: 'api_connection_error', message } });
    this.giveUpAsked();
  }

  private giveUpAsked(): void {
    for (const answer of this.asked.values()) answer(gone());
    this.asked.clear();
  }
}

function gone(): TokenResult {
  const message = 'The card field is not on the page, so there is nothing to make a token of.';
  return { error: { type: 'api_connection_error', message } };
}

/** @returns what the frame has to know, as plain data that can be posted to it */
function frameOptions({ style, placeholder, disabled }: Options): FieldOptions {
  return {
    ...(style === undefined ? {} : { style: JSON.parse(JSON.stringify(style)) }),
    ...(placeholder === undefined ? {} : { placeholder }),
    ...(disabled === undefined ? {} : { disabled }),
  };
}
