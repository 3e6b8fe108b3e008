import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { migrate } from '#db/migrate.ts';
import { openClient } from '#db/server.ts';
import { refuseRows, type TableDigest, Transfer } from '#db/transfer.ts';
import manifest from '#package.json' with { type: 'json' };
import { DomainError } from '#src/errors.ts';
import { makeDataDir } from '#src/installation-secrets.ts';
import {
  type DataFile,
  existingFile,
  type OnTable,
  renameToNew,
  restoreRows,
  verifyBackup,
  writeBackup,
} from '../backup-file.ts';
import { auditActorOf, readOperatorSettings, resolveFile, withOwner } from '../command-context.ts';
import { OperatorCommand, type SharedOptions } from '../operator-command.ts';
import { counted, printError, success } from '../output.ts';

/** What an installation keeps besides the database. */
const dataFiles = ['secrets.json', 'sandbox.sqlite', 'demo.env'];

const backupHelp = `
The file has every row as of the start of the command, secrets.json (the session secret), and, if there are any,
sandbox.sqlite and demo.env of DATA_DIR. Keep it private. On Citus, stop the service first, and
run no other command that changes data.

Example:
  $ operator backup backup-2026-11-22.sql.gz`;

const restoreHelp = `
The file is verified first. The database in DATABASE_OWNER_URL, or in DATA_DIR, must have no rows. The restored
rows are compared with the backup before they are committed.

Example:
  $ DATA_DIR=.restored operator restore backup-2026-11-22.sql.gz`;

export const backupCommand = new OperatorCommand('backup')
  .description('Write all data into one compressed file; the service can keep running')
  .argument('<file>', 'a file that does not exist yet')
  .addHelpText('after', backupHelp)
  .run(async (name: string, options: SharedOptions) => {
    const file = resolveFile(name);
    if (existsSync(file)) throw existingFile(file);
    const { DATA_DIR } = readOperatorSettings();
    const files = await readDataFiles(DATA_DIR);
    const tables = await withOwner(async (ownerUrl) => {
      const transfer = await Transfer.read(ownerUrl);
      const source = { transfer, files, release: manifest.version, onTable: progressOf(options) };
      return writeBackup(file, source).finally(() => transfer.close());
    });
    const rows = rowsIn(tables);
    const names = files.map((one) => one.name);
    return {
      document: { file, rows, tables, files: names },
      lines: () => [
        success(`Backed up ${counted(rows, 'row')} of ${counted(tables.length, 'table')} to ${file}`),
        `Includes these files from ${DATA_DIR}: ${names.join(', ') || 'none'}. Settings such as .env are not included.`,
      ],
    };
  });

export const restoreCommand = new OperatorCommand('restore')
  .description('Restore a backup into an empty database, all or nothing')
  .argument('<file>')
  .confirm((file) => `Restore ${file} into the empty database?`)
  .addHelpText('after', restoreHelp)
  .run(async (name: string, options: SharedOptions) => {
    const file = resolveFile(name);
    if (!existsSync(file)) throw new DomainError('refused', `File not found: ${file}`);
    const { DATA_DIR } = readOperatorSettings();
    const actor = auditActorOf(options.actor);
    printError('Verifying the file');
    const { header, tables, sequences, files } = await verifyBackup(file);
    refuseExisting(DATA_DIR, files);
    await withOwner(async (ownerUrl) => {
      const transfer = await openEmpty(ownerUrl);
      const written: string[] = [];
      try {
        await restoreRows(file, transfer, progressOf(options));
        await transfer.compare(tables, (table) => progressOf(options)(`${table}, comparing`));
        await transfer.setSequences(sequences);
        await transfer.auditRestore(actor, header.createdAt);
        await writeDataFiles(DATA_DIR, files, written);
      } catch (error) {
        for (const file of written) await rm(file);
        await transfer.close();
        throw error;
      }
      // It can fail after the server has done it, so the files stay.
      await transfer.commit().finally(() => transfer.close());
    });
    const rows = rowsIn(tables);
    return {
      document: { created_at: header.createdAt, rows, tables },
      lines: () => [
        success(`Restored ${counted(rows, 'row')} from ${header.createdAt}; every table matches the backup`),
        'Start the service, and then run: operator reconcile',
      ],
    };
  });

export const rowsIn = (tables: TableDigest[]) => tables.reduce((sum, { rows }) => sum + rows, 0);

/** Migrated only if no table has rows, so that a refusal changes nothing. */
export async function openEmpty(ownerUrl: string): Promise<Transfer> {
  const sql = await openClient(ownerUrl);
  await refuseRows(sql).finally(() => sql.end({ timeout: 0 }));
  await migrate(ownerUrl);
  return Transfer.write(ownerUrl);
}

/** One line for each table on standard error. */
export function progressOf({ json }: SharedOptions): OnTable {
  return (name, rows) => {
    if (!json) printError(rows === undefined ? name : `${name}: ${counted(rows, 'row')}`);
  };
}

async function readDataFiles(dataDir: string): Promise<DataFile[]> {
  const found = dataFiles.filter((name) => existsSync(path.join(dataDir, name)));
  return Promise.all(
    found.map(async (name) => {
      const file = path.join(dataDir, name);
      return { name, content: name.endsWith('.sqlite') ? await snapshot(file) : await readFile(file) };
    }),
  );
}

/** A consistent copy, also while the sandbox writes. */
async function snapshot(file: string): Promise<Buffer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'backup-'));
  const copy = path.join(folder, 'copy.sqlite');
  try {
    const database = new DatabaseSync(file);
    database.prepare('VACUUM INTO ?').run(copy);
    database.close();
    return await readFile(copy);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function refuseExisting(dataDir: string, files: DataFile[]): void {
  const existing = files.find(({ name }) => existsSync(path.join(dataDir, name)));
  if (!existing) return;
  throw new DomainError(
    'refused',
    `Nothing was restored: ${path.join(dataDir, existing.name)} exists. Set DATA_DIR to an empty folder.`,
  );
}

/** @param written gets the path of each file */
async function writeDataFiles(dataDir: string, files: DataFile[], written: string[]): Promise<void> {
  await makeDataDir(dataDir);
  for (const { name, content } of files) {
    if (!dataFiles.includes(name)) continue;
    const file = path.join(dataDir, name);
    const part = `${file}.part`;
    try {
      await writeFile(part, content, { mode: 0o600, flush: true });
      await renameToNew(part, file);
    } finally {
      await rm(part, { force: true });
    }
    written.push(file);
  }
}
