/** The frame's input: the page's style options, and the caret while the text is reformatted. */
import type { StripeElementStyle } from '@stripe/stripe-js';
import type { FieldReading } from './card-fields.ts';

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
export function applyStyle(style: StripeElementStyle): void {
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

const digitsBefore = (text: string, caret: number) => text.slice(0, caret).replace(/\D/g, '').length;

/**
 * Reformats the input after a change and keeps the caret after the same digit.
 * @param isBackspace deleting a separator deletes the digit before it; otherwise the separator would come back
 */
export function moveCaret(
  input: HTMLInputElement,
  previous: FieldReading,
  read: (raw: string) => FieldReading,
  isBackspace: boolean,
): void {
  const caret = input.selectionStart ?? input.value.length;
  const wasAtEnd = caret === input.value.length;
  let before = digitsBefore(input.value, caret);
  let raw = input.value;
  if (isBackspace && before > 0 && raw.replace(/\D/g, '') === previous.digits) {
    before -= 1;
    raw = previous.digits.slice(0, before) + previous.digits.slice(before + 1);
  }
  const { text } = read(raw);
  // "12" and "12 / " have the same digits. After a deletion, keep the shorter one.
  input.value = isBackspace ? text.replace(/\D+$/, '') : text;
  let position = 0;
  while (position < input.value.length && digitsBefore(input.value, position) < before) position += 1;
  if (wasAtEnd) position = input.value.length;
  input.setSelectionRange(position, position);
}
