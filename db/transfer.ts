import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { is } from 'drizzle-orm';
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import type postgres from 'postgres';
import { DomainError } from '#src/errors.ts';
import { copyIn } from './copy-in.ts';
import { hasDistributedTables } from './distributed.ts';
import { instanceLocks } from './instance-lock.ts';
import * as schema from './schema.ts';
import { appliedMigrations, tableMigrations } from './schema-version.ts';
import { openClient, withoutTimeouts } from './server.ts';

/** `columns` and `key` are SQL: lists of quoted columns. */
export type TransferTable = { name: string; columns: string; key: string };
export type Sequence = { name: string; value: string };
export type TableDigest = { name: string; rows: number; sha256: string };

/**
 * So that every server writes a value as the same text, and a role that a policy hides rows from gets an error instead of the
 * others.
 */
const sessionSettings = `${withoutTimeouts} set local row_security = off; set local intervalstyle = 'postgres'; set local extra_float_digits = 1; set local bytea_output = 'hex'`;

/**
 * All rows of the service's tables, read or written in one transaction, in PostgreSQL's COPY text format.
 * Decision: docs/decisions/0023-backups.md.
 */
export class Transfer {
  readonly #sql: postgres.Sql;
  readonly #wasInUse: boolean;
  /** Referenced tables come before those that reference them. */
  readonly tables: TransferTable[];

  private constructor(sql: postgres.Sql, tables: TransferTable[], wasInUse: boolean) {
    this.#sql = sql;
    this.#wasInUse = wasInUse;
    this.tables = tables;
  }

  /**
   * A snapshot of a database that may be in use.
   * @param inUse refuses one that is in use with this sentence, and makes other writers wait until the snapshot is closed
   * @throws DomainError refused when its tables are not those of this release
   */
  static async read(ownerUrl: string, inUse?: string): Promise<Transfer> {
    const lock = inUse === undefined ? 'access share' : 'share';
    // Before the snapshot, for which a table is empty once a migration has written it again.
    const mode = `isolation level repeatable read read only; lock table ${tableNames().join(', ')} in ${lock} mode`;
    const check = async (sql: postgres.Sql) => {
      await refuseOtherTables(sql);
      // Before the lock, which would delay its requests.
      if (inUse !== undefined && (await isInUse(sql))) throw new DomainError('refused', inUse);
    };
    const open = async (sql: postgres.Sql, wasInUse: boolean) => {
      await refuseOtherTables(sql);
      return new Transfer(sql, await listTables(sql), wasInUse);
    };
    return begin(ownerUrl, { mode, open, check });
  }

  /**
   * A migrated database without rows. Nothing is changed before `commit`.
   * @throws DomainError refused when a table has rows
   */
  static async write(ownerUrl: string): Promise<Transfer> {
    const open = async (sql: postgres.Sql, wasInUse: boolean) => {
      // A move of a database without rows to itself would wait for its own lock.
      await sql.unsafe(
        `set local lock_timeout = '10s'; lock table ${tableNames().join(', ')} in share row exclusive mode`,
      );
      await refuseRows(sql);
      return new Transfer(sql, await listTables(sql), wasInUse);
    };
    return begin(ownerUrl, { mode: 'isolation level read committed', open });
  }

  /** @returns a time after that of every row, by the database's clock, in ISO 8601 */
  async readAt(): Promise<string> {
    // The transaction may have waited for its locks, and then read what was committed since it began.
    const [row] = await this.#sql<{ now: Date }[]>`select clock_timestamp() as now`;
    return (row as { now: Date }).now.toISOString();
  }

  /** @yields chunks of whole lines, ordered by the primary key */
  async *rows({ name, columns, key }: TransferTable): AsyncGenerator<Buffer> {
    const query = `copy (select ${columns} from ${name} order by ${key}) to stdout`;
    const stream: Readable = await this.#sql.unsafe(query).readable();
    let lines: Buffer[] = [];
    let bytes = 0;
    for await (const line of stream as AsyncIterable<Buffer>) {
      lines.push(line);
      bytes += line.length;
      if (bytes < chunkBytes) continue;
      yield Buffer.concat(lines);
      [lines, bytes] = [[], 0];
    }
    // postgres.js pauses the connection while the stream is full. Nothing resumes it if the last rows fill the stream.
    stream._read(0);
    if (bytes > 0) yield Buffer.concat(lines);
  }

  async insertRows({ name, columns }: TransferTable, chunks: AsyncIterable<Buffer>): Promise<void> {
    await copyIn(this.#sql, `copy ${name} (${columns}) from stdin`, chunks);
  }

  async digest(table: TransferTable): Promise<TableDigest> {
    const counted = countRows(table.name);
    for await (const chunk of this.rows(table)) counted.add(chunk);
    return counted.digest();
  }

  /** @throws Error when a table differs from `expected` */
  async compare(expected: TableDigest[], onTable: (name: string) => void): Promise<void> {
    for (const table of this.tables) {
      onTable(table.name);
      const [written, read] = [await this.digest(table), expected.find(({ name }) => name === table.name)];
      if (written.rows !== read?.rows || written.sha256 !== read.sha256)
        throw new Error(`The rows of ${table.name} differ from their source. Nothing was changed.`);
    }
  }

  /**
   * @throws DomainError refused when a process of the service runs on the database, or ran when it was opened, or another
   *   transaction waits to write
   */
  async refuseInUse(sentence: string): Promise<void> {
    if (this.#wasInUse || (await isInUse(this.#sql))) throw new DomainError('refused', sentence);
  }

  async isDistributed(): Promise<boolean> {
    return hasDistributedTables((statement) => this.#sql.unsafe(statement));
  }

  /** Read after the rows, so that every row's ID is below. */
  async sequences(): Promise<Sequence[]> {
    const names = this.tables.map(({ name }) => `${name}_id_seq`);
    return this.#sql<Sequence[]>`
      select sequencename as name, last_value::text as value from pg_sequences
      where schemaname = 'public' and last_value is not null and sequencename in ${this.#sql(names)} order by 1`;
  }

  /** Written last, because they are not rolled back. */
  async setSequences(sequences: Sequence[]): Promise<void> {
    for (const { name, value } of sequences)
      await this.#sql`select setval(${`public.${name}`}::regclass, ${value}::bigint)`;
  }

  /** Records in the audit that the rows are those of an earlier time. */
  async auditRestore(actor: string, backupAt: string): Promise<void> {
    await this.#sql`insert into audit_entries (actor, action, customer_id, subject, after, channel)
      values (${actor}, 'database.restored', 0, 'database', ${this.#sql.json({ backupAt })}, 'cli')`;
  }

  async commit(): Promise<void> {
    await this.#sql.unsafe('commit');
  }

  /** Without `commit`, nothing was changed. */
  async close(): Promise<void> {
    await this.#sql.end({ timeout: 0 });
  }
}

const chunkBytes = 256 * 1024;

type Beginning = {
  mode: string;
  open: (sql: postgres.Sql, wasInUse: boolean) => Promise<Transfer>;
  /** Before the transaction. */
  check?: (sql: postgres.Sql) => Promise<void>;
};

async function begin(url: string, { mode, open, check }: Beginning): Promise<Transfer> {
  const sql = await openClient(url);
  try {
    await check?.(sql);
    // Before the snapshot: a process that ends after it could have written later.
    const wasInUse = await isInUse(sql);
    await sql.unsafe(`begin ${mode}; ${sessionSettings}`);
    return await open(sql, wasInUse);
  } catch (error) {
    await sql.end({ timeout: 0 });
    throw error;
  }
}

/** @throws DomainError refused when the tables are not those of this release */
async function refuseOtherTables(sql: postgres.Sql): Promise<void> {
  const [found] = await sql<{ tables: string | null }[]>`select to_regclass('customers')::text as tables`;
  const applied = await appliedMigrations((statement) => sql.unsafe(statement));
  const tables = applied.filter(({ name }) => /^\d/.test(name)).map(({ hash }) => hash);
  const isCurrent = tables.join() === migrationHashes().join();
  if (!found?.tables) throw new DomainError('refused', 'The database has no tables of the service.');
  if (!isCurrent)
    throw new DomainError('refused', 'The tables of the database are of another release. Use that release.');
}

async function isInUse(sql: postgres.Sql): Promise<boolean> {
  const locks = await sql.unsafe(`select from pg_locks where ${instanceLocks}
    or not granted and mode = 'RowExclusiveLock' and database = (select oid from pg_database where datname = current_database())
    limit 1`);
  return locks.length > 0;
}

/** @throws DomainError refused when a table of the service exists and has rows */
export async function refuseRows(sql: postgres.Sql): Promise<void> {
  for (const name of tableNames()) {
    const [found] = await sql<{ exists: boolean }[]>`select to_regclass(${name}) is not null as exists`;
    if (!found?.exists) continue;
    const rows = await sql.unsafe(`select from ${name} limit 1`);
    if (rows.length > 0)
      throw new DomainError(
        'refused',
        `Nothing was changed: the target has rows in the table ${name}. Choose an empty database.`,
      );
  }
}

/** Identifies the tables of a release. */
export function migrationHashes(): string[] {
  return tableMigrations().map(({ hash }) => hash);
}

/** @returns counts rows and hashes their text */
export function countRows(name: string) {
  const hash = createHash('sha256');
  let rows = 0;
  const add = (chunk: Buffer) => {
    hash.update(chunk);
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) rows += 1;
  };
  const through = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      add(chunk);
      yield chunk;
    }
  };
  return { add, through, digest: (): TableDigest => ({ name, rows, sha256: hash.digest('hex') }) };
}

function tableNames(): string[] {
  const ordered = new Set<PgTable>();
  const add = (table: PgTable) => {
    for (const { reference } of getTableConfig(table).foreignKeys) {
      const { foreignTable } = reference();
      if (foreignTable !== table && !ordered.has(foreignTable)) add(foreignTable);
    }
    ordered.add(table);
  };
  for (const value of Object.values(schema)) if (is(value, PgTable)) add(value);
  return [...ordered].map((table) => getTableConfig(table).name);
}

/** Keys are ordered by bytes, whatever the database's collation is. */
async function listTables(sql: postgres.Sql): Promise<TransferTable[]> {
  const names = tableNames();
  const tables = await sql<TransferTable[]>`
    select c.relname as name, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns,
      string_agg(quote_ident(a.attname) || case when a.attcollation <> 0 then ' collate "C"' else '' end, ', '
        order by k.position) filter (where k.position is not null) as key
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    join pg_index i on i.indrelid = c.oid and i.indisprimary
    left join unnest(i.indkey::int2[]) with ordinality k (attnum, position) on k.attnum = a.attnum
    where c.relnamespace = 'public'::regnamespace and c.relname in ${sql(names)}
    group by c.relname`;
  return tables.toSorted((a, b) => names.indexOf(a.name) - names.indexOf(b.name));
}
