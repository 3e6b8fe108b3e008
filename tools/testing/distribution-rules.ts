/** The rules of docs/scale.md for statements. Each is a kind of statement that Citus has refused. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { checkout } from '../checkout.ts';

const clock = String.raw`\b(?:(?:now|random|(?:clock|statement|transaction)_timestamp)\(\)|current_timestamp|localtimestamp)`;
const lock = String.raw`\bfor (?:no key update|update|key share|share)\b`;
const ofCustomer = /\bcustomer_id = (?:any\()?(?:\$\d|p_|new\.)/;

const distribution = readFileSync(path.join(checkout, 'db', 'citus.sql'), 'utf8');
const namesIn = (pattern: RegExp) => [...distribution.matchAll(pattern)].map(([, name]) => name as string);
export const distributedTables = namesIn(/create_distributed_table\('(\w+)', 'customer_id'/g);
export const referenceTables = namesIn(/create_reference_table\('(\w+)'/g);

const ends = String.raw`\b(?:left|inner|cross|join|where|group|order|union|returning|limit|for)\b|$`;
const table = String.raw`(?:${distributedTables.join('|')})\b`;
/** Two tables without `join`; its condition is the group. */
const listed = String.raw`(?:\bfrom ${table}(?: (?:as )?\w+)?, |\bupdate ${table}(?:(?! where | from ).)* from |\bdelete from ${table}(?: \w+)? using )${table}(?:(?!\bselect\b| where ).)*(?: where (.*?))?(?=\b(?:group|order|union|returning|limit|for)\b|$)`;
const isIn = (pattern: string) => (text: string) => new RegExp(pattern).test(text);
const change = String.raw`\b(?:insert into|update|delete from)`;
const isChange = isIn(`${change} ${table}`);
const isOfReference = isIn(`${change} ${`(?:${referenceTables.join('|')})`}`);

const rules: Record<string, (text: string) => boolean> = {
  'an upsert by the clock': isIn(
    `insert into ${table}(?:(?!insert into).)* do update set (?:(?! returning ).)*${clock}`,
  ),
  'the clock in case or coalesce': isIn(
    String.raw`\bupdate ${table}(?:(?! where ).)*\b(?:case (?:(?! end\b).)*|coalesce\([^()]*)${clock}`,
  ),
  'a change by the JSON of a row': isIn(String.raw`to_jsonb\(\w+\) @>|@> \(?(?:select )?to_jsonb\(`),
  'rows locked among all customers': (text) =>
    [
      ...text.matchAll(new RegExp(String.raw`\b(?:from|join) ${table}((?:(?!\bselect\b).)*?)${lock}`, 'g')),
    ].some(([, condition = '']) => !ofCustomer.test(condition)),
  'a lock of rows that are joined with those of another part': isIn(
    String.raw`\bin \(select [^()]*\)(?: order by [\w., ]+)? ${lock}`,
  ),
  'the place of a row': (text) => isChange(text) && /\bctid\b/.test(text),
  'a random value of the server': (text) => isChange(text) && /\brandom\(\)/.test(text),
  'a lock of the coordinator in a condition': (text) => isIn(table)(text) && /\bpg_try_advisory/.test(text),
  'a function of a column that depends on settings': (text) =>
    isChange(text) &&
    /date_trunc\([^,()]+, (?:\w+\.)?\w+_(?:at|until)\b|_(?:at|until) [-+] |_(?:at|until) between/.test(text),
  'a function that reads tables, of the columns of a row': isIn(
    String.raw`\b(?:card_refusal|activate_card|refresh_card)\([^)]*?(?<![\w.])(?:customer_id|fingerprint|cards\.)`,
  ),
  'a join without the customer': (text) =>
    [
      ...text.matchAll(
        new RegExp(String.raw`\bjoin ${table}(?: (?:as )?\w+)? (?:on|using) (.*?)(?=${ends})`, 'g'),
      ),
      ...text.matchAll(new RegExp(listed, 'g')),
    ].some(([, condition = '']) => !/customer_id/.test(condition)),
  'a column without a type': (text) =>
    [...text.matchAll(/\(select (?:assert_balance_in_range|open_session)\(/g)].some(
      ({ 0: start, index }) => !/^ is null/.test(text.slice(closing(text, index + start.length))),
    ),
  'a change of tables of both kinds': (text) => isChange(text) && isOfReference(text),
  'a subquery beside values of all customers': (text) => {
    const [columns, rest] = splitColumns(text);
    return columns.includes('(select') && isIn(`^ from ${table}`)(rest) && !ofCustomer.test(text);
  },
};

/** @returns the rules that a statement breaks */
export function brokenRules(statement: string): string[] {
  const text = normalized(statement);
  return Object.entries(rules).flatMap(([name, isBroken]) => (isBroken(text) ? [name] : []));
}

const normalized = (statement: string) =>
  statement
    .replace(/--.*$/gm, '')
    .replaceAll('"', '')
    .replace(/\bpublic\./gi, '')
    .replace(/\s+/g, ' ')
    .replace(/\( | \)/g, (part) => part.trim())
    .trim()
    .toLowerCase();

/** @returns the index after the parenthesis that closes the one before `start` */
function closing(text: string, start: number): number {
  let depth = 1;
  let index = start;
  for (; depth > 0 && index < text.length; index += 1)
    depth += Number(text[index] === '(') - Number(text[index] === ')');
  return index;
}

/** @returns the columns of a select with the rest of the statement, which is empty for others */
function splitColumns(text: string): [columns: string, rest: string] {
  if (!text.startsWith('select ')) return [text, ''];
  let index = 0;
  while (index < text.length && !text.startsWith(' from ', index))
    index = text[index] === '(' ? closing(text, index + 1) : index + 1;
  return [text.slice(0, index), text.slice(index)];
}
