/**
 * What a database was migrated to: a row of `schema_migrations` for each file of `drizzle/`, for each version of the
 * functions and privileges, and for each release that has migrated it. Decision: docs/decisions/0028-migrations.md.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { sql } from 'drizzle-orm';
import manifest from '#package.json' with { type: 'json' };
import type { Database } from './client.ts';

export type Migration = { name: string; hash: string; statements: string[] };
export type Applied = Pick<Migration, 'name' | 'hash'>;

/** Next's bundle, where `import.meta.dirname` is missing, runs in the checkout. */
const folder = import.meta.dirname ?? path.join(process.cwd(), 'db');
const drizzleFolder = path.join(folder, '..', 'drizzle');
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const read = (...names: string[]) => readFileSync(path.join(...names), 'utf8');

/** The migrations of the tables that this release has, in their order. */
export function tableMigrations(): Migration[] {
  const journal = JSON.parse(read(drizzleFolder, 'meta', '_journal.json')) as { entries: { tag: string }[] };
  return journal.entries.map(({ tag }) => {
    const text = read(drizzleFolder, `${tag}.sql`);
    return { name: tag, hash: sha256(text), statements: text.split('--> statement-breakpoint') };
  });
}

/** The functions and privileges of this release: applied as a whole, under a name that changes with them. */
export function functionMigration(): Migration {
  const functions = path.join(folder, 'functions');
  const files = readdirSync(functions).toSorted();
  const statements = [...files.map((file) => read(functions, file)), read(folder, 'roles.sql')];
  const hash = sha256(statements.join('\n'));
  return { name: `functions_${hash.slice(0, 12)}`, hash, statements };
}

const releasePrefix = 'release_';

/** Changes nothing. An earlier release, which would put back its functions and privileges, refuses the database. */
export const releaseMigration: Migration = {
  name: releasePrefix + manifest.version,
  hash: 'none',
  statements: [],
};

/** Releases are compared by these three, so those that differ in nothing else put back each other's functions. */
export const numbersOf = (release: string) => release.split(/[.+-]/).slice(0, 3).map(Number);

function isLaterRelease({ name }: Applied): boolean {
  if (!name.startsWith(releasePrefix)) return false;
  const own = numbersOf(manifest.version);
  const other = numbersOf(name.slice(releasePrefix.length));
  const differing = own.findIndex((number, index) => number !== other[index]);
  return differing !== -1 && Number(other[differing]) > Number(own[differing]);
}

/** Releases need what such a migration removes, but not those that have the migration whose number it gives. */
const contractName = /^\d+_contract_(?:after_(\d+)_)?/;

function removesNeeded(name: string, migrations: Migration[]): boolean {
  const [isContract, last] = contractName.exec(name) ?? [];
  const names = migrations.map((one) => one.name);
  return isContract !== undefined && !names.some((own) => own === name || own.startsWith(`${last}_`));
}

const differs =
  'The tables of the database are not those of this release: they were created by a development version, and they cannot be migrated. Use an empty database, or set DATA_DIR to a new folder for the embedded one.';

/** @returns why this release cannot migrate the database, as a sentence */
export function migrationProblem(
  applied: Applied[],
  migrations: Migration[],
  isOnlyUser: boolean,
): string | undefined {
  const hashes = new Map(applied.map(({ name, hash }) => [name, hash]));
  if (migrations.some(({ name, hash }) => (hashes.get(name) ?? hash) !== hash)) return differs;
  const isKnown = ({ name }: Applied) => migrations.some((one) => one.name === name);
  const isNewer = (one: Applied) =>
    /^\d/.test(one.name) ? !isKnown(one) : !isOnlyUser && isLaterRelease(one);
  const newer = applied.find(isNewer);
  return (
    newer &&
    `The database is newer than this release: it has ${newer.name}. Nothing was changed. Use that release or a later one.`
  );
}

/**
 * A release serves a database that has all of its migrations. Later ones may have been applied too, unless one of them
 * removes what the release needs.
 * @returns why this release cannot use the database, as a sentence
 */
function schemaProblem(applied: Applied[], migrations: Migration[]): string | undefined {
  const hashes = new Map(applied.map(({ name, hash }) => [name, hash]));
  const missing = migrations.find(({ name }) => !hashes.has(name));
  if (missing) {
    return `The database is older than this release: ${missing.name} is missing. Run npm run migrate with this release.`;
  }
  if (migrations.some(({ name, hash }) => hashes.get(name) !== hash)) return differs;
  const contract = applied.find(({ name }) => removesNeeded(name, migrations));
  return (
    contract &&
    `The database is newer than this release, which needs what the migration ${contract.name} removed. Use a release that has it.`
  );
}

type Run = (statement: string) => PromiseLike<Record<string, unknown>[]>;

/** @returns the migrations of a database; none if it has no tables, or those of a development version */
export async function appliedMigrations(run: Run): Promise<Applied[]> {
  const [found] = await run("select to_regclass('public.schema_migrations') is not null as exists");
  if (!found?.exists) return [];
  return (await run('select name, hash from public.schema_migrations order by name')) as Applied[];
}

export class SchemaError extends Error {
  override name = 'SchemaError';
}

/** @throws SchemaError when this release cannot use the database */
export async function refuseOtherSchema(db: Database): Promise<void> {
  await schemaCheck()((statement) => db.execute(sql.raw(statement)));
}

/** @returns what throws SchemaError when this release cannot use the database, without reading the files each time */
export function schemaCheck(): (run: Run) => Promise<void> {
  const migrations = [...tableMigrations(), functionMigration()];
  return async (run) => {
    const problem = schemaProblem(await appliedMigrations(run), migrations);
    if (problem) throw new SchemaError(problem);
  };
}
