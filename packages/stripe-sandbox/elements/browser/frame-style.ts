/** Turns the page's style options into rules of the frame's own style sheet. */
import type { StripeElementStyle } from '@stripe/stripe-js';

const PROPERTIES = [
  ...['backgroundColor', 'color', 'fontFamily', 'fontSize', 'fontStyle', 'fontVariant', 'fontWeight'],
  ...['lineHeight', 'letterSpacing', 'textAlign', 'textDecoration', 'textShadow', 'textTransform'],
];
const PSEUDO = [...[':hover', ':focus', '::placeholder', '::selection', ':-webkit-autofill', ':disabled']];
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

/** Replaces the rules that earlier options made. Unknown properties are left out. */
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
