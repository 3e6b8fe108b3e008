import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { docsAddress } from '#components/docs/block.ts';
import { markdownOf } from '#components/docs/markdown.ts';
import { cardByNumber, cardByTestId, TEST_CARDS } from '#packages/stripe-sandbox/cards/test-cards.ts';
import { recordedProblems } from '#src/api/openapi-responses.ts';
import { cardRefusals } from '#src/api/operations/card-refusals.ts';
import { problems } from '#src/api/problems.ts';
import { settings } from '#src/settings.ts';
import { docsContext } from './document.ts';
import { detailEntries } from './error-entries.ts';
import { operationSlugs } from './operation.ts';
import { docsPages } from './pages.ts';
import { testCards } from './sandbox-page.ts';

const pages = docsPages();
const checkout = path.join(import.meta.dirname, '..', '..');
const source = (file: string) => readFile(path.join(checkout, file), 'utf8');
const errors = pages.find(({ slug }) => slug === 'errors');
const anchors = new Map(
  pages.map(({ slug, blocks }) => [
    docsAddress(slug),
    blocks.flatMap((block) => {
      if (block.kind === 'heading') return [block.id];
      return block.kind === 'table' ? block.rows.flatMap(({ id }) => id ?? []) : [];
    }),
  ]),
);

test('docs: every error and decline code has an entry with its message and an anchor', () => {
  const ids = anchors.get('/docs/errors') ?? [];
  const text = errors ? markdownOf(errors) : '';
  for (const [code, { message }] of Object.entries(problems)) {
    expect(ids).toContain(code);
    expect(text).toContain(`**${message}**`);
  }
  for (const [failure, { code, message }] of Object.entries(cardRefusals)) {
    expect(ids).toContain(`refused-${failure}`);
    expect(text).toContain(`\`${code}\` | ${message}`);
  }
});

test('docs: every error has a recorded response on the errors page', () => {
  const text = errors ? markdownOf(errors) : '';
  const recorded = new Map(Object.entries(recordedProblems));
  for (const [code, { status, message }] of Object.entries(problems)) {
    expect([code, recorded.get(code)?.error]).toMatchObject([code, { code: status, message }]);
    expect(text).toContain(JSON.stringify(recorded.get(code)));
  }
});

test('docs: every decline has a recorded response, except for a number without a test token', () => {
  const text = errors ? markdownOf(errors) : '';
  const { incorrect_number: _number, ...provoked } = cardRefusals;
  for (const { code, message } of Object.values(provoked))
    expect(text).toContain(JSON.stringify({ status: false, message, code, card: null }));
});

test('docs: the documented common headers are in every listed response', () => {
  const { document } = docsContext();
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  for (const { operationId, responses } of operations) {
    const page = pages.find(({ slug }) => slug === operationSlugs[operationId]);
    const sentence = /Every answer has ([^.]*)\./.exec(page ? markdownOf(page) : '')?.[1] ?? '';
    const named = [...sentence.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? '');
    expect(named).toContain('X-Request-Id');
    for (const [status, { headers }] of Object.entries(responses)) {
      for (const name of named)
        expect([operationId, status, headers?.[name]?.required]).toEqual([operationId, status, true]);
    }
  }
});

test('docs: every other API message has an entry', async () => {
  const files = ['src/api/operations/add-card.ts', 'src/api/body.ts', 'src/api/operations/remove-card.ts'];
  const sources = await Promise.all(files.map(source));
  const said = sources.join('\n').matchAll(/'((?:Must|Is) [^']*\.)'/g);
  const messages = [...said].map(([, message]) => message);
  expect(messages.length).toBeGreaterThan(7);
  const known = detailEntries.map(({ message }) => message);
  expect(messages.filter((message) => !known.includes(message ?? ''))).toEqual([]);
  expect(detailEntries.length).toBe(new Set(detailEntries.map(({ message }) => message)).size);
});

test('docs: no broken links', () => {
  const other = [
    ...['/llms.txt', '/openapi.json', '/openapi.yaml', '/docs/errors.md'],
    `mailto:${settings().SUPPORT_CONTACT}`,
  ];
  for (const page of pages) {
    const links = markdownOf(page).matchAll(/\]\(([^)]+)\)/g);
    for (const [, link = ''] of links) {
      const [address, anchor] = link.startsWith('#')
        ? [docsAddress(page.slug), link.slice(1)]
        : link.split('#');
      if (address !== undefined && other.includes(address)) continue;
      expect(anchors.has(address ?? ''), `${link} on ${page.title}`).toBe(true);
      if (anchor) expect(anchors.get(address ?? ''), `${link} on ${page.title}`).toContain(anchor);
    }
  }
});

test('docs: no duplicate anchors on a page', () => {
  for (const [address, ids] of anchors) expect([address, new Set(ids).size]).toEqual([address, ids.length]);
});

test('docs: every OpenAPI field is documented', () => {
  const rows = pages.flatMap(({ blocks }) =>
    blocks.flatMap((block, place) => {
      const heading = blocks.slice(0, place).findLast(({ kind }) => kind === 'heading');
      if (block.kind !== 'table' || block.head[0] !== 'Field' || heading?.kind !== 'heading') return [];
      return block.rows.map(({ cells: [name, , meaning] }) => ({ of: heading.id, name, meaning }));
    }),
  );
  // What an error is made of is told on the page of errors.
  const { Error: _error, ...schemas } = docsContext().document.components.schemas;
  const fields = Object.entries(schemas).flatMap(([of, schema]) =>
    (schema.oneOf ?? [schema]).flatMap(({ properties = {} }) =>
      Object.keys(properties).map((name) => `${of} \`${name}\``),
    ),
  );
  expect(fields.length).toBeGreaterThan(60);
  expect(new Set(rows.map(({ of, name }) => `${of} ${name}`))).toEqual(new Set(fields));
  expect(rows.filter(({ meaning }) => !meaning)).toEqual([]);
});

test("docs: the listed test cards are the sandbox's", () => {
  const failures: Record<string, string> = {
    requires_action: 'authentication_required',
    generic_decline: 'card_declined',
    lost_card: 'card_declined',
    stolen_card: 'card_declined',
    fraudulent: 'card_declined',
  };
  for (const { number, token, outcome } of testCards) {
    const name = cardByNumber(number);
    expect([number, cardByTestId(token)]).toEqual([number, name]);
    const card = name && TEST_CARDS[name];
    const said = card?.outcome === 'succeeds' ? card.brand : (failures[card?.outcome ?? ''] ?? card?.outcome);
    expect([number, outcome]).toEqual([number, said]);
  }
});

test('docs: the changelog page lists every version', async () => {
  const page = pages.find(({ slug }) => slug === 'changelog');
  for (const [, version] of (await source('CHANGELOG.md')).matchAll(/^## (\d+\.\d+\.\d+)/gm))
    expect(page && markdownOf(page)).toContain(`## ${version}`);
});
