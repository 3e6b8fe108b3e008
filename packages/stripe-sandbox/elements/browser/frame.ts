/** One card field: an input in a frame of the stand-in's own origin, which the page around it cannot read. */
import { readCardCvc } from './card-cvc.ts';
import { readCardExpiry } from './card-expiry.ts';
import { readCardNumber } from './card-number.ts';
import { placeCaret } from './frame-caret.ts';
import { siblingField } from './frame-fields.ts';
import { applyStyle } from './frame-style.ts';
import { tokenize } from './frame-token.ts';
import type { FieldError, FieldOptions, FieldType, FromFrame, ToFrame } from './messages.ts';
import type { FieldReading } from './reading.ts';

const meta = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';
const input = document.querySelector('input') ?? document.createElement('input');
const fieldType = meta('field') as FieldType;
const pageOrigins = meta('page-origins').split(' ');

let channel: MessagePort | undefined;
let group = '';
let reading = read('');
/** Set when the person left the field, or asked for a token, before it was finished; typing takes it away. */
let shownUnfinished: FieldError | undefined;

const tell = (message: FromFrame) => channel?.postMessage(message);

function read(raw: string): FieldReading {
  if (fieldType === 'cardNumber') return readCardNumber(raw);
  if (fieldType === 'cardExpiry') return readCardExpiry(raw, new Date());
  return readCardCvc(raw, siblingField(group, 'cardNumber')?.read().brand ?? 'unknown');
}

function show(): void {
  const error = reading.error ?? shownUnfinished;
  input.classList.toggle('invalid', error !== undefined);
  input.classList.toggle('complete', reading.complete);
  input.classList.toggle('empty', reading.empty);
  input.setAttribute('aria-invalid', String(error !== undefined));
  const { empty, complete, brand } = reading;
  tell({ kind: 'change', state: { empty, complete, error, ...(brand ? { brand } : {}) } });
}

function take(raw: string): void {
  const earlier = reading;
  reading = read(raw);
  shownUnfinished = undefined;
  if (earlier.brand !== reading.brand) siblingField(group, 'cardCvc')?.brandChanged();
  show();
}

function refuseUnfinished(): FieldError | undefined {
  const error = reading.error ?? reading.unfinished;
  if (error && !reading.error && shownUnfinished === undefined) {
    shownUnfinished = error;
    show();
  }
  return error;
}

function brandChanged(): void {
  const earlier = reading;
  reading = read(input.value);
  if (earlier.complete !== reading.complete || earlier.error?.code !== reading.error?.code) show();
}

function clear(): void {
  input.value = '';
  if (!reading.empty || shownUnfinished) take('');
}

function applyOptions({ style, placeholder, disabled }: FieldOptions): void {
  if (style !== undefined) applyStyle(style);
  if (placeholder !== undefined) input.placeholder = placeholder;
  if (disabled !== undefined) input.disabled = disabled;
}

function obey(message: ToFrame): void {
  if (message.kind === 'focus') input.focus();
  if (message.kind === 'blur') input.blur();
  if (message.kind === 'clear') clear();
  if (message.kind === 'update') applyOptions(message.options);
  if (message.kind !== 'tokenize') return;
  const { id, key, data } = message;
  void tokenize(group, key, data).then((result) => tell({ kind: 'tokenized', id, result }));
}

function start(port: MessagePort, message: ToFrame & { kind: 'start' }): void {
  channel = port;
  group = message.group;
  window.sandboxCardField = { type: fieldType, group, read: () => reading, refuseUnfinished, brandChanged };
  applyOptions(message.options);
  port.onmessage = (event: MessageEvent<ToFrame>) => obey(event.data);
  const observer = new ResizeObserver(() => tell({ kind: 'height', heightPx: input.offsetHeight }));
  observer.observe(input);
  input.classList.add('empty');
  tell({ kind: 'ready' });
  if (fieldType === 'cardNumber') siblingField(group, 'cardCvc')?.brandChanged();
}

window.addEventListener('message', (event: MessageEvent<ToFrame>) => {
  const [port] = event.ports;
  const isPage = event.source === window.parent && pageOrigins.includes(event.origin);
  if (isPage && port && !channel && event.data.kind === 'start') start(port, event.data);
});

input.addEventListener('input', (event) => {
  const isBackspace = event instanceof InputEvent && event.inputType === 'deleteContentBackward';
  placeCaret(input, reading, (raw) => read(raw), isBackspace);
  take(input.value);
});
input.addEventListener('focus', () => tell({ kind: 'focus' }));
input.addEventListener('blur', () => {
  if (!reading.empty) refuseUnfinished();
  tell({ kind: 'blur' });
});
input.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') tell({ kind: 'escape' });
  if (event.key === 'Enter') tell({ kind: 'submit' });
});
document.addEventListener('submit', (event) => event.preventDefault());
document.addEventListener('click', () => input.focus());
