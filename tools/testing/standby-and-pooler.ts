/** A standby and a connection pooler beside the embedded PostgreSQL. */
import { execFileSync } from 'node:child_process';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type EmbeddedDatabase, openEmbeddedDatabase } from '#db/embedded/index.ts';
import { migrate } from '#db/migrate.ts';
import { runStatement } from './connections.ts';
import { temporaryFolder } from './processes.ts';
import { startProxy } from './proxy.ts';

export type DatabasePair = {
  primary: EmbeddedDatabase;
  standby: EmbeddedDatabase;
  /** Ends the primary without a shutdown, as a crash does. */
  crashPrimary: () => Promise<void>;
  promoteStandby: () => Promise<unknown>;
  onPrimary: (statement: string) => Promise<unknown>;
  close: () => Promise<void>;
};

/** Starts a primary, and a standby that has every acknowledged commit. */
export async function startDatabasePair(): Promise<DatabasePair> {
  const folder = await temporaryFolder('database-pair');
  const [first, second] = ['first', 'second'].map((name) => path.join(folder.path, name)) as [string, string];
  const origin = await openEmbeddedDatabase(first);
  await migrate(origin.ownerUrl);
  await origin.release();
  execFileSync('cp', ['-a', first, second]);
  const primary = await openEmbeddedDatabase(first);
  const { hostname, port, username, password } = new URL(primary.ownerUrl);
  const data = path.join(second, 'postgres', 'data');
  await writeFile(path.join(data, 'standby.signal'), '');
  await appendFile(
    path.join(data, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=${hostname} port=${port} user=${username} password=${password} application_name=standby'\n`,
  );
  const standby = await openEmbeddedDatabase(second);
  await runStatement(primary.ownerUrl, 'alter system set synchronous_standby_names = standby');
  await runStatement(primary.ownerUrl, 'alter system set synchronous_commit = remote_apply');
  await runStatement(primary.ownerUrl, 'select pg_reload_conf()');
  return {
    primary,
    standby,
    crashPrimary: async () => {
      const [pid] = (await readFile(path.join(first, 'postgres', 'data', 'postmaster.pid'), 'utf8')).split(
        '\n',
      );
      process.kill(Number(pid), 'SIGQUIT');
    },
    onPrimary: (statement) => runStatement(primary.ownerUrl, statement),
    promoteStandby: () => runStatement(standby.ownerUrl, 'select pg_promote()'),
    close: async () => {
      // A primary that waits for its standby does not stop.
      await primary.release();
      await standby.release();
      await folder.remove();
    },
  };
}

/** Leads to a database like a connection pooler, which announces a process ID of its own. @returns the URL through it */
export async function startPooler(url: string): Promise<{ url: URL; close: () => Promise<void> }> {
  const letterOfKeyData = 75;
  const keyData = Buffer.from([letterOfKeyData, 0, 0, 0, 12]);
  return startProxy('database', new URL(url), ({ moment, bytes }) => {
    const at = moment === 'after' ? bytes.indexOf(keyData) : -1;
    if (at !== -1) bytes.writeUInt32BE(7, at + keyData.length);
    return true;
  });
}
