import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { expect, test } from 'vitest';
import { checkout } from './checkout.ts';
import { visibleText } from './visible-text.ts';

const files = globSync(
  ['*.{md,mjs,ts}', '{app,components,db,docs,e2e,packages,src,tools}/**/*.{cjs,css,md,mjs,mts,sql,ts,tsx}'],
  { cwd: checkout, exclude: ['**/node_modules', '**/dist', path.relative(checkout, import.meta.filename)] },
);

const read = (file: string) => readFileSync(path.join(checkout, file), 'utf8');

/** The rows of the glossary. */
const glossary = read('docs/architecture.md').split('| do not use |\n')[1]?.split('\n') ?? [];
const terms = glossary.flatMap((row) => / \| ([a-z][^|]*) \|$/.exec(row)?.[1]?.split(', ') ?? []);
/** Terms that have another name in this repository, and British spellings. */
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

/** Words of these terms in names of the code. Names in snake_case are those of the API and the database. */
const bannedParts =
  'place[sd]?|answers?|answered|answering|most|given|made|kept|said|noted|seen|asked|words|facts?|patience|silence|door|rooms?|standIn|mend(?:ed)?|anew|inert|booked';
const capitalized = bannedParts.replace(/(?<=^|\|)[a-z]/g, (letter) => letter.toUpperCase());
const upperCase = bannedParts.replace(/[A-Z]/g, '_$&').toUpperCase();
const bannedName = new RegExp(
  `^(?:(?:(?:${bannedParts})|[A-Za-z0-9]*(?:${capitalized}))(?:[A-Z0-9][A-Za-z0-9]*)?|(?:[A-Z0-9_]*_)?(?:${upperCase})(?:_[A-Z0-9_]*)?)$`,
);
/** Of other programs. */
const foreignNames = ['isPlacesAppActive', 'keepHyphenatedWords'];

/** @returns the names with a banned word that a file declares */
function bannedNames(file: string, text: string): string[] {
  const { program, errors } = parseSync(file, text);
  expect(errors, file).toEqual([]);
  const names = new Set<string>();
  const ofOthers = new Set<unknown>();
  new Visitor({
    MemberExpression: ({ property }) => void ofOthers.add(property),
    TSQualifiedName: ({ right }) => void ofOthers.add(right),
    ImportSpecifier: ({ imported }) => void ofOthers.add(imported),
    Identifier: (node) => {
      if (!ofOthers.has(node) && bannedName.test(node.name)) names.add(node.name);
    },
  }).visit(program);
  return [...names].filter((name) => !foreignNames.includes(name));
}

test('prose: names use the terms of the glossary', () => {
  // Spectral's rules have a `given`.
  const sources = files.filter(
    (file) => /\.(cjs|m?ts|mjs|tsx)$/.test(file) && file !== 'e2e/docs/document.spec.ts',
  );
  expect(sources.length).toBeGreaterThan(700);
  const found = sources.flatMap((file) => bannedNames(file, read(file)).map((name) => `${file}: ${name}`));
  expect(found).toEqual([]);
});

test.each([
  ['const answerOfServer = 1;', 'answerOfServer'],
  ['const MAX_ROOMS = 1, STAND_IN_URL = 2;', 'MAX_ROOMS', 'STAND_IN_URL'],
  ['function f({ mostRows, a: [lastSeen] = [], ...rowsKept }) {}', 'mostRows', 'lastSeen', 'rowsKept'],
  ['try {} catch (errorNoted) {}', 'errorNoted'],
  ['import { made, a as given } from "b";', 'made', 'given'],
  ['class Door<Fact> { room = 1; #words; asked() {} }', 'Door', 'Fact', 'room', 'asked'],
  ['type Silence = { patience: 1; said(placed: 1): 2 };', 'Silence', 'patience', 'said', 'placed'],
  ['interface StandIn { mended: { [inert: string]: 1 } }', 'StandIn', 'mended', 'inert'],
  ['export default { booked: 1 };', 'booked'],
])('prose: the glossary applies to %s', (text, ...names) => {
  expect(bannedNames('a.ts', text)).toEqual(names);
});

test.each([
  'const placeholder = [utmost, mostly, dataMade_at];',
  'import { answer as response } from "a";',
  'a.given(b.c.words);',
  'const made_at = { "words": 1, words_read: 2 };',
  'type A = B.Fact;',
])('prose: the glossary does not apply to %s', (text) => {
  expect(bannedNames('a.ts', text)).toEqual([]);
});
