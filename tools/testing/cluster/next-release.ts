import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { secondCheckout } from './second-checkout.ts';

/** What a release that expands the schema adds to tables that the current one uses. */
const expansion = `ALTER TABLE customers ADD COLUMN next_note text;
--> statement-breakpoint
ALTER TABLE cards ADD COLUMN next_note text NOT NULL DEFAULT '';
--> statement-breakpoint
ALTER TABLE ledger_entries ADD COLUMN next_note text;
--> statement-breakpoint
CREATE TABLE next_notes (id bigint PRIMARY KEY);
`;

/** Makes a neighboring release: this one with an expanding migration. @returns its folder */
export async function nextRelease(build: string): Promise<string> {
  const folder = await secondCheckout('next');
  await rm(path.join(folder, '.next'), { recursive: true, force: true });
  await cp(path.join(build, '.next'), path.join(folder, '.next'), { recursive: true });
  const journalFile = path.join(folder, 'drizzle', 'meta', '_journal.json');
  const journal = JSON.parse(await readFile(journalFile, 'utf8')) as {
    entries: { idx: number; tag: string }[];
  };
  const last = journal.entries.at(-1);
  if (!last) throw new Error('There are no migrations.');
  const tag = `${String(last.idx + 1).padStart(4, '0')}_next_release`;
  journal.entries.push({ ...last, idx: last.idx + 1, tag });
  await writeFile(journalFile, JSON.stringify(journal));
  await writeFile(path.join(folder, 'drizzle', `${tag}.sql`), expansion);
  return folder;
}
