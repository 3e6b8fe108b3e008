import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { checkout } from './checkout.ts';

const files = globSync(
  ['*.md', '{app,components,db,docs,e2e,packages,src,tools}/**/*.{css,md,mjs,sql,ts,tsx}'],
  { cwd: checkout, exclude: ['**/node_modules', '**/dist', path.relative(checkout, import.meta.filename)] },
);

/** Terms that have another name in this repository, as tools/names.grit has for identifiers, and British spellings. */
const banned =
  /\b(answer(s|ed|ing)?|request lines?|(another|next) try|ready cards?|stands? ready|tak(e|es|en) back|anew|mend(s|ed)?|patience|silence|stand-?ins?|in one piece|house-?keeping|lines to run|budgets?|card service|secrecy|inert|e-mails?|booked|whoever|everybody|colour(s|ed)?|centred?|cancelled|catalogue|grey)\b/i;

test('prose: uses the terms of the glossary', () => {
  const found = files.flatMap((file) => {
    const lines = readFileSync(path.join(checkout, file), 'utf8').split('\n');
    return lines.filter((line) => banned.test(line)).map((line) => `${file}: ${line.trim()}`);
  });
  expect(found).toEqual([]);
});
