import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'drizzle-orm';
import { expect, test } from '../fixtures.ts';
import { testCards } from '../pages/steps.ts';

/** What must be nowhere: card numbers as typed or run together, the provider's tokens, our secrets, sealed cookies. */
const hidden: [what: string, pattern: RegExp][] = [
  ['a test card number', /\b(4242|4000|5555|3782|6011)[ -]?(\d[ -]?){10,14}\d\b/],
  ['a token', /\btok_[A-Za-z]\w+/],
  ['a secret', /\bsecret_(live|test)_[0-9A-Za-z]{28}\b/],
  ['a key of the provider', /\b(sk|whsec)_(test_)?sandbox|\bwhsec_[0-9a-f]{20}/],
  ['a session', /Fe26\.2\*/],
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
    for (const [what, pattern] of hidden) {
      expect(pattern.test(text), `${what} in ${place}`).toBe(false);
    }
  }
});
