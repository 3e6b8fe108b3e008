import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { checkout } from './checkout.ts';
import { visibleText } from './visible-text.ts';

const files = globSync(
  ['*.md', '{app,components,db,docs,e2e,packages,src,tools}/**/*.{css,md,mjs,sql,ts,tsx}'],
  { cwd: checkout, exclude: ['**/node_modules', '**/dist', path.relative(checkout, import.meta.filename)] },
);

/** Terms that have another name in this repository, as tools/names.grit has for identifiers, and British spellings. */
const banned =
  /\b(answer(s|ed|ing)?|request lines?|(another|next) try|ready cards?|stands? ready|(tak(e|es|en)|took) back|anew|mend(s|ed)?|patience|silence|stand-?ins?|doors?|rooms?|lives (on )?beside|in one piece|house-?keeping|lines to run|budgets?|card service|secrecy|inert|e-mails?|booked|whoever|everybody|colour(s|ed)?|centred?|cancelled|catalogue|grey)\b/i;

/** Words of the code and the operator's commands that have another name on pages. */
const bannedOnPages = /\b(entry|entries|kinds?)\b/i;

test('prose: uses the terms of the glossary', () => {
  const found = files.flatMap((file) => {
    const lines = readFileSync(path.join(checkout, file), 'utf8').split('\n');
    return lines.filter((line) => banned.test(line)).map((line) => `${file}: ${line.trim()}`);
  });
  expect(found).toEqual([]);
});

test('prose: pages say transaction and type, not entry and kind', () => {
  const pages = files.filter(
    (file) => /^(app|components)\/.*\.tsx?$/.test(file) && !file.endsWith('.test.ts'),
  );
  const found = pages.flatMap((file) => {
    const texts = visibleText(file);
    return texts.filter((text) => bannedOnPages.test(text)).map((text) => `${file}: ${text}`);
  });
  expect(found).toEqual([]);
});
