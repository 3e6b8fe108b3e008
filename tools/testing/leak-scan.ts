/** Finds values that must not be in a response, the log, or the database. */
import { readFile } from 'node:fs/promises';
import { sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { cardByTestId, TEST_CARDS } from '#packages/stripe-sandbox/cards/test-cards.ts';

const numbers: string[] = Object.values(TEST_CARDS).map(({ number }) => number);

/** Card numbers with or without separators, but not in the decimals of a number such as 0.14000000000000002. */
const hasTestNumber = (text: string) => {
  const runs = text.replace(/(?<=\d)\.\d{16,}/g, '').replace(/(?<=\d)[ -](?=\d)/g, '');
  return numbers.some((number) => runs.includes(number));
};
const tokensIn = (text: string) => text.match(/\b(tok_|pm_card_)[A-Za-z]\w+/g) ?? [];

/** Published test values, which only the API docs may show. */
const published: [what: string, isIn: (text: string) => boolean][] = [
  ['a test card number', hasTestNumber],
  ['a test token', (text) => tokensIn(text).some((token) => cardByTestId(token) !== undefined)],
];

const secret: typeof published = [
  ['a token', (text) => tokensIn(text).some((token) => cardByTestId(token) === undefined)],
  ['a CVC', (text) => /\b(cvc|cvv|security.code)["'\]]*\s{0,2}[:=]\s{0,2}["']?\d{3,4}\b/i.test(text)],
  ['a secret of a customer', (text) => /\bsecret_(live|test)_[0-9A-Za-z]{28}\b/.test(text)],
  ['a secret of the provider', (text) => /\bsk_(test|live)_\w+|\bwhsec_\w+|\bseti_\w+_secret_\w+/.test(text)],
  ['a session', (text) => /Fe26\.2\*/.test(text)],
];

/** The client secret of a setup intent is for the cardholder's browser, in this place only. */
export function withoutNextAction(response: string): string {
  return response.replace(/"next_action":\{"type":"\w+","client_secret":"seti_\w+"\}/g, '"next_action":{}');
}

/**
 * @param options.isPublic whether published test values are allowed
 * @returns the names of the leaks in a text
 */
export function findLeaks(text: string, options: { isPublic?: boolean } = {}): string[] {
  const checks = options.isPublic ? secret : [...secret, ...published];
  return checks.filter(([, isIn]) => isIn(text)).map(([what]) => what);
}

/** @returns the log and the rows of each table, as text */
export async function dumpLogAndTables(db: Database, logFile: string): Promise<Record<string, string>> {
  const tables = await db.execute<{ name: string }>(
    sql`select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public'`,
  );
  const rowsOf = async (name: string) =>
    withBytesRead(JSON.stringify(await db.execute(sql.raw(`select t::text as row from ${name} t`))));
  const texts = tables.map(async ({ name }) => [name, await rowsOf(name)] as const);
  return { log: await readFile(logFile, 'utf8'), ...Object.fromEntries(await Promise.all(texts)) };
}

/** Decodes bytea columns, whose hexadecimal form would hide text. */
function withBytesRead(text: string): string {
  return text.replace(/\\x((?:[0-9a-f]{2})+)/g, (_, hex: string) =>
    Buffer.from(hex, 'hex').toString('latin1'),
  );
}
