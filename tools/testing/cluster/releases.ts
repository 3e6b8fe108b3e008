/** Checkouts of this release and of the next ones. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { checkout } from '#tools/checkout.ts';
import { lastingFolder } from '../processes.ts';
import { runToEnd } from './instance.ts';

/**
 * Copies this checkout into the system's temporary folder, without the build. The folder stays there, so that its own build
 * is up to date in the next run.
 * @returns the folder
 */
export async function secondCheckout(name: string): Promise<string> {
  const folder = lastingFolder(`checkout-${name}`);
  await mkdir(folder, { recursive: true });
  for (const entry of await readdir(folder)) {
    if (entry !== '.next') await rm(path.join(folder, entry), { recursive: true });
  }
  const git = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const files = execFileSync('git', git, { cwd: checkout, encoding: 'utf8' }).split('\0').filter(Boolean);
  for (const file of files) await cp(path.join(checkout, file), path.join(folder, file));
  // Links are enough, but not possible between file systems.
  const copy = (option: string) =>
    spawnSync('cp', [option, 'node_modules', folder], { cwd: checkout }).status;
  if (copy('-al') !== 0 && copy('-a') !== 0) throw new Error('node_modules could not be copied.');
  await rm(path.join(folder, 'node_modules', '.build.lock'), { force: true });
  return folder;
}

/** Adds the new name of a column. A trigger keeps both equal, whichever a release writes. */
const expansion = `ALTER TABLE cards ADD COLUMN removal_key_hash bytea;
--> statement-breakpoint
CREATE FUNCTION copy_removal_key() RETURNS trigger LANGUAGE plpgsql SET search_path = public AS $$
BEGIN
  IF NEW.removal_key_hash IS DISTINCT FROM OLD.removal_key_hash THEN
    NEW.removal_key := NEW.removal_key_hash;
  ELSE
    NEW.removal_key_hash := NEW.removal_key;
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER copy_removal_key BEFORE INSERT OR UPDATE ON cards FOR EACH ROW EXECUTE FUNCTION copy_removal_key();
--> statement-breakpoint
UPDATE cards SET removal_key_hash = removal_key WHERE removal_key IS NOT NULL;
`;

const contraction = `DROP TRIGGER copy_removal_key ON cards;
--> statement-breakpoint
DROP FUNCTION copy_removal_key();
--> statement-breakpoint
ALTER TABLE cards DROP COLUMN removal_key;
`;

/** Makes the next release, which expands the schema and uses only the new name of a column. @returns its folder */
export async function expandedRelease(): Promise<string> {
  const folder = await secondCheckout('expanded');
  await addMigration(folder, { name: 'removal_key_hash', text: expansion });
  await edit(folder, 'db/tables/cards.ts', "bytes('removal_key')", "bytes('removal_key_hash')");
  await edit(folder, 'db/roles.sql', ' removal_key,', ' removal_key, removal_key_hash,');
  await edit(
    folder,
    'src/customers/export-customer.ts',
    "'removal_key',",
    "'removal_key', 'removal_key_hash',",
  );
  await runToEnd(['tools/build.ts'], folder);
  return folder;
}

/** Makes the release after the expanded one, which removes the old name. @returns its folder */
export async function contractedRelease(expanded: string): Promise<string> {
  const folder = await secondCheckout('contracted');
  for (const part of ['.next', 'db', 'drizzle', 'src']) {
    await rm(path.join(folder, part), { recursive: true, force: true });
    await cp(path.join(expanded, part), path.join(folder, part), { recursive: true });
  }
  const [expanding] = (await migrationNumbers(folder)).slice(-1);
  await addMigration(folder, { name: `contract_after_${expanding}_removal_key`, text: contraction });
  await edit(folder, 'db/roles.sql', ' removal_key,', '');
  return folder;
}

type Journal = { entries: { idx: number; tag: string }[] };
const journalFile = (folder: string) => path.join(folder, 'drizzle', 'meta', '_journal.json');
const readJournal = async (folder: string) =>
  JSON.parse(await readFile(journalFile(folder), 'utf8')) as Journal;
const migrationNumbers = async (folder: string) =>
  (await readJournal(folder)).entries.map(({ tag }) => tag.split('_', 1)[0]);

async function addMigration(folder: string, { name, text }: { name: string; text: string }): Promise<void> {
  const journal = await readJournal(folder);
  const last = journal.entries.at(-1);
  if (!last) throw new Error('There are no migrations.');
  const tag = `${String(last.idx + 1).padStart(4, '0')}_${name}`;
  journal.entries.push({ ...last, idx: last.idx + 1, tag });
  await writeFile(journalFile(folder), JSON.stringify(journal));
  await writeFile(path.join(folder, 'drizzle', `${tag}.sql`), text);
}

async function edit(folder: string, name: string, before: string, after: string): Promise<void> {
  const file = path.join(folder, name);
  const text = await readFile(file, 'utf8');
  if (!text.includes(before)) throw new Error(`${name} does not contain ${before}.`);
  await writeFile(file, text.replace(before, after));
}
