import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'drizzle-orm';
import { expect, test } from '../fixtures.ts';
import { testCards } from '../pages/steps.ts';

/** As typed in groups or run together. */
const isNumberIn = (text: string, number: string) => text.replace(/(?<=\d)[ -](?=\d)/g, '').includes(number);

/** What must be nowhere: card numbers, the provider's tokens and keys, our secrets, sealed cookies. */
const hidden: [what: string, isIn: (text: string) => boolean][] = [
  ['a test card number', (text) => Object.values(testCards).some((number) => isNumberIn(text, number))],
  ['a token', (text) => /\btok_[A-Za-z]\w+/.test(text)],
  ['a secret', (text) => /\bsecret_(live|test)_[0-9A-Za-z]{28}\b/.test(text)],
  ['a key of the provider', (text) => /\bsk_test_sandbox|\bwhsec_[0-9a-f]{20}/.test(text)],
  ['a session', (text) => /Fe26\.2\*/.test(text)],
];

test('after all other tests, neither the log nor the database holds a number, a token or a secret', async ({
  db,
}) => {
  const tables = await db.execute<{ name: string }>(
    sql`select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public'`,
  );
  const written: Record<string, string> = {
    log: await readFile(path.join(process.env.E2E_DATA_DIR ?? '', 'service.log'), 'utf8'),
  };
  for (const { name } of tables) {
    written[name] = JSON.stringify(await db.execute(sql.raw(`select t::text as row from ${name} t`)));
  }
  // The tests before this one left their traces: an empty place would prove nothing.
  expect(written.log?.split('\n').length).toBeGreaterThan(100);
  expect(written.cards).toContain(testCards.good.slice(-4));
  for (const [place, text] of Object.entries(written)) {
    for (const [what, isIn] of hidden) expect(isIn(text), `${what} in ${place}`).toBe(false);
  }
});
