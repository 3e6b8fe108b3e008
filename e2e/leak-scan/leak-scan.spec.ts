import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { TEST_CARDS } from '#packages/stripe-sandbox/cards/test-cards.ts';
import { dumpLogAndTables, findLeaks } from '#tools/testing/leak-scan.ts';
import { expect, test } from '../support/fixtures.ts';
import { recordedResponses } from './recorded-responses.ts';

const dataDir = process.env.E2E_DATA_DIR ?? '';

/** The reference and what it is made of, which name the published test values: these, and nothing else, may be there. */
const explainsTests = /^\/(docs(\/|\.|$)|llms[\w-]*\.txt$|openapi\.(json|yaml)$|_next\/static\/)/;

/** What this installation made for itself. */
async function ownSecrets(): Promise<string[]> {
  const { sandboxPublishableKey: _public, ...secrets } = JSON.parse(
    await readFile(path.join(dataDir, 'secrets.json'), 'utf8'),
  ) as Record<string, string>;
  return Object.values(secrets);
}

test('leak scan: no card number, token, or secret in the log or the database after all tests', async ({
  db,
}) => {
  const written = await dumpLogAndTables(db, path.join(dataDir, 'service.log'));
  // The tests before this one left their traces: an empty log or table would prove nothing.
  expect(written.log?.split('\n').length).toBeGreaterThan(100);
  expect(written.cards).toContain(TEST_CARDS.visa.number.slice(-4));
  const secrets = await ownSecrets();
  for (const [source, text] of Object.entries(written)) {
    expect([source, findLeaks(text)]).toEqual([source, []]);
    expect([source, secrets.filter((secret) => text.includes(secret))]).toEqual([source, []]);
  }
});

test('leak scan: no card number, token, or secret in any recorded response', async () => {
  test.setTimeout(120_000);
  const secrets = await ownSecrets();
  const leaks: unknown[] = [];
  const counts = new Map<string, number>();
  for await (const { path: address, status, headers, body } of recordedResponses(
    process.env.E2E_RESPONSES ?? '',
  )) {
    const isPublic = explainsTests.test(address);
    counts.set(`${status} ${address}`, (counts.get(`${status} ${address}`) ?? 0) + 1);
    const leaked = findLeaks(`${headers}\n${body}`, { isPublic });
    if (secrets.some((secret) => headers.includes(secret) || body.includes(secret)))
      leaked.push('a secret of ours');
    if (leaked.length > 0) leaks.push({ leaked, address, status });
  }
  expect(leaks).toEqual([]);
  // Of all kinds, or the search would prove nothing.
  for (const known of ['200 /', '200 /docs/add-a-card', '200 /api/schedule/v1/payment/cards'])
    expect([known, counts.get(known) ?? 0]).not.toEqual([known, 0]);
});
