/** One card field: an input in a frame of the sandbox's origin, which the page around it cannot read. */
import type { StripeElementStyle } from '@stripe/stripe-js';
import { type FieldReading, readCardCvc, readCardExpiry, readCardNumber } from './card-fields.ts';
import { siblingField, tokenize } from './frame-token.ts';
import {
  type FieldError,
  type FieldOptions,
  type FieldType,
  type FromFrame,
  isFromPage,
  type ToFrame,
} from './protocol.ts';

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

const PROPERTIES = [
  ...['backgroundColor', 'color', 'fontFamily', 'fontSize', 'fontStyle', 'fontVariant', 'fontWeight'],
  ...['lineHeight', 'letterSpacing', 'textAlign', 'textDecoration', 'textShadow', 'textTransform'],
];
const PSEUDO = [':hover', ':focus', '::placeholder', '::selection', ':-webkit-autofill', ':disabled'];
const VARIANTS = {
  base: 'input',
  complete: 'input.complete',
  empty: 'input.empty',
  invalid: 'input.invalid',
};

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function addRule(sheet: CSSStyleSheet, selector: string, values: object): void {
  const rule = sheet.cssRules[sheet.insertRule(`${selector} {}`, sheet.cssRules.length)];
  if (!(rule instanceof CSSStyleRule)) return;
  for (const [name, value] of Object.entries(values)) {
    if (name === 'fontSmoothing') rule.style.setProperty('-webkit-font-smoothing', String(value));
    if (PROPERTIES.includes(name)) rule.style.setProperty(kebab(name), String(value));
  }
}

const sheet = new CSSStyleSheet();
document.adoptedStyleSheets = [sheet];

/** Replaces earlier style options. Unknown properties are ignored. */
function applyStyle(style: StripeElementStyle): void {
  sheet.replaceSync('');
  for (const [variant, selector] of Object.entries(VARIANTS)) {
    const values = Object.entries(style).find(([name]) => name === variant)?.[1];
    if (values === undefined) continue;
    addRule(sheet, selector, values);
    for (const [name, nested] of Object.entries(values))
      if (PSEUDO.includes(name) && nested !== null && typeof nested === 'object')
        addRule(sheet, `${selector}${name}`, nested);
  }
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

const digitsBefore = (text: string, caret: number) => text.slice(0, caret).replace(/\D/g, '').length;

/**
 * Reformats the input after a change and keeps the caret after the same digit.
 * @param isBackspace deleting a separator deletes the digit before it; otherwise the separator would come back
 */
function reformat(isBackspace: boolean): void {
  const caret = input.selectionStart ?? input.value.length;
  const wasAtEnd = caret === input.value.length;
  let before = digitsBefore(input.value, caret);
  let raw = input.value;
  if (isBackspace && before > 0 && raw.replace(/\D/g, '') === reading.digits) {
    before -= 1;
    raw = reading.digits.slice(0, before) + reading.digits.slice(before + 1);
  }
  const { text } = read(raw);
  // "12" and "12 / " have the same digits. After a deletion, keep the shorter one.
  input.value = isBackspace ? text.replace(/\D+$/, '') : text;
  let position = 0;
  while (position < input.value.length && digitsBefore(input.value, position) < before) position += 1;
  if (wasAtEnd) position = input.value.length;
  input.setSelectionRange(position, position);
}

window.addEventListener('message', (event: MessageEvent<ToFrame>) => {
  const [port] = event.ports;
  if (isFromPage(event) && port && !channel && event.data.kind === 'start') start(port, event.data);
});

input.addEventListener('input', (event) => {
  const isBackspace = event instanceof InputEvent && event.inputType === 'deleteContentBackward';
  reformat(isBackspace);
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
