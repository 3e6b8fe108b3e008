/** One card field: an input in a frame of the sandbox's origin, which the page around it cannot read. */
import { type FieldReading, readCardCvc, readCardExpiry, readCardNumber } from './card-fields.ts';
import { applyStyle, moveCaret } from './frame-input.ts';
import { siblingField, tokenize } from './frame-token.ts';
import { isFromPage } from './is-from-page.ts';
import type { FieldError, FieldOptions, FieldType, FromFrame, ToFrame } from './protocol.ts';

const meta = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';
const input = document.querySelector('input') ?? document.createElement('input');
const fieldType = meta('field') as FieldType;

let channel: MessagePort | undefined;
let group = '';
let reading = read('');
/** Set when the person leaves the incomplete field or asks for a token. Typing clears it. */
let shownUnfinished: FieldError | undefined;

const send = (message: FromFrame) => channel?.postMessage(message);

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
  send({ kind: 'change', state: { empty, complete, error, ...(brand ? { brand } : {}) } });
}

function update(raw: string): void {
  const previous = reading;
  reading = read(raw);
  shownUnfinished = undefined;
  if (previous.brand !== reading.brand) siblingField(group, 'cardCvc')?.brandChanged();
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
  const previous = reading;
  reading = read(input.value);
  if (previous.complete !== reading.complete || previous.error?.code !== reading.error?.code) show();
}

function clear(): void {
  input.value = '';
  if (!reading.empty || shownUnfinished) update('');
}

function applyOptions({ style, placeholder, disabled }: FieldOptions): void {
  if (style !== undefined) applyStyle(style);
  if (placeholder !== undefined) input.placeholder = placeholder;
  if (disabled !== undefined) input.disabled = disabled;
}

function receive(message: ToFrame): void {
  if (message.kind === 'focus') input.focus();
  if (message.kind === 'blur') input.blur();
  if (message.kind === 'clear') clear();
  if (message.kind === 'update') applyOptions(message.options);
  if (message.kind !== 'tokenize') return;
  const { id, key, data } = message;
  void tokenize(group, key, data).then((result) => send({ kind: 'tokenized', id, result }));
}

function start(port: MessagePort, message: ToFrame & { kind: 'start' }): void {
  channel = port;
  group = message.group;
  window.sandboxCardField = { type: fieldType, group, read: () => reading, refuseUnfinished, brandChanged };
  applyOptions(message.options);
  port.onmessage = (event: MessageEvent<ToFrame>) => receive(event.data);
  const observer = new ResizeObserver(() => send({ kind: 'height', heightPx: input.offsetHeight }));
  observer.observe(input);
  input.classList.add('empty');
  send({ kind: 'ready' });
  if (fieldType === 'cardNumber') siblingField(group, 'cardCvc')?.brandChanged();
}

window.addEventListener('message', (event: MessageEvent<ToFrame>) => {
  const [port] = event.ports;
  if (isFromPage(event) && port && !channel && event.data.kind === 'start') start(port, event.data);
});

input.addEventListener('input', (event) => {
  const isBackspace = event instanceof InputEvent && event.inputType === 'deleteContentBackward';
  moveCaret(input, reading, (raw) => read(raw), isBackspace);
  update(input.value);
});
input.addEventListener('focus', () => send({ kind: 'focus' }));
input.addEventListener('blur', () => {
  if (!reading.empty) refuseUnfinished();
  send({ kind: 'blur' });
});
input.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') send({ kind: 'escape' });
  if (event.key === 'Enter') send({ kind: 'submit' });
});
document.addEventListener('submit', (event) => event.preventDefault());
document.addEventListener('click', () => input.focus());
