import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { checkout } from './checkout.ts';
import { visibleText } from './visible-text.ts';

const files = globSync(
  ['*.md', '{app,components,db,docs,e2e,packages,src,tools}/**/*.{css,md,mjs,sql,ts,tsx}'],
  { cwd: checkout, exclude: ['**/node_modules', '**/dist', path.relative(checkout, import.meta.filename)] },
);

const read = (file: string) => readFileSync(path.join(checkout, file), 'utf8');

/** The rows of the glossary. */
const glossary = read('docs/architecture.md').split('| do not use |\n')[1]?.split('\n') ?? [];
const terms = glossary.flatMap((row) => / \| ([a-z][^|]*) \|$/.exec(row)?.[1]?.split(', ') ?? []);
/** Terms that have another name in this repository, as tools/names.grit has for identifiers, and British spellings. */
const banned = new RegExp(`\\b(${terms.join('|')})(s|d|ed|ing)?\\b`, 'i');

/** Words of the code and the operator's commands that have another name on pages. */
const bannedOnPages = /\b(entry|entries|kinds?)\b/i;

test('prose: uses the terms of the glossary', () => {
  const found = files.flatMap((file) => {
    const lines = read(file).split('\n');
    const isFound = (line: string) => banned.test(line) && !glossary.includes(line);
    return lines.filter(isFound).map((line) => `${file}: ${line.trim()}`);
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
