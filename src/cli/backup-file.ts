/**
 * A backup is a compressed SQL script that psql can run too, with the digests in comments.
 * Decision: docs/decisions/0023-backups.md.
 */
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { link, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { isConnectionLost } from '#db/errors.ts';
import { countRows, migrationHashes, type Sequence, type TableDigest, type Transfer } from '#db/transfer.ts';
import { DomainError } from '#src/errors.ts';

const format = 1;

type Header = { format: number; createdAt: string; release: string; migrations: string[] };
export type DataFile = { name: string; content: Buffer };
export type Manifest = { header: Header; tables: TableDigest[]; sequences: Sequence[]; files: DataFile[] };
export type OnTable = (name: string, rows?: number) => void;

type Source = { transfer: Transfer; files: DataFile[]; release: string; onTable: OnTable };

/**
 * Written under a name of its own first, so that a file with the name is complete.
 * @param file does not exist
 * @throws DomainError refused when it exists or cannot be written, when the connection to the database is lost, or on Citus,
 *   whose nodes have no snapshot in common, while the service runs
 */
export async function writeBackup(file: string, source: Source): Promise<TableDigest[]> {
  const refusal = (await source.transfer.isDistributed()) ? inUseOnCitus : undefined;
  if (refusal) await source.transfer.refuseInUse(refusal);
  const part = `${file}.${randomBytes(4).toString('hex')}.part`;
  const tables: TableDigest[] = [];
  try {
    const target = createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(sealed(script(source, tables)), createGzip(), target);
    if (refusal) await source.transfer.refuseInUse(refusal);
    await renameToNew(part, file);
  } catch (error) {
    if (error instanceof Error && isConnectionLost(error)) throw lostConnection(error);
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    if ('code' in error && error.code === 'EEXIST') throw existingFile(file);
    throw new DomainError('refused', `${file} can't be written (${error.message}). No backup was made.`);
  } finally {
    await rm(part, { force: true });
  }
  return tables;
}

export const existingFile = (file: string) =>
  new DomainError('refused', `${file} already exists. Choose a file that doesn't exist yet.`);

const lostConnection = ({ message }: Error) =>
  new DomainError('refused', `The connection to the database was lost (${message}). No backup was made.`);

/** `rename` replaces an existing file, and `link` does not. Some file systems, such as FAT, have no hard links. */
export async function renameToNew(from: string, to: string): Promise<void> {
  await link(from, to).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw error;
    return rename(from, to);
  });
}

const inUseOnCitus =
  'Nothing was backed up: the service is running, and on Citus the file could contain only part of its later writes. Stop the service first.';

const note = (kind: string, value: unknown) => Buffer.from(`-- ${kind} ${JSON.stringify(value)}\n`);

async function* script(
  { transfer, files, release, onTable }: Source,
  digests: TableDigest[],
): AsyncGenerator<Buffer> {
  const createdAt = await transfer.readAt();
  yield note('backup', { format, createdAt, release, migrations: migrationHashes() } satisfies Header);
  for (const table of transfer.tables) {
    yield Buffer.from(`COPY public.${table.name} (${table.columns}) FROM stdin;\n`);
    const counted = countRows(table.name);
    yield* counted.through(transfer.rows(table));
    const digest = counted.digest();
    digests.push(digest);
    onTable(table.name, digest.rows);
    yield Buffer.from('\\.\n');
    yield note('table', digest);
  }
  for (const { name, value } of await transfer.sequences())
    yield Buffer.from(`SELECT setval('public.${name}', ${value});\n`);
  for (const { name, content } of files) yield note('file', { name, content: content.toString('base64') });
}

async function* sealed(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
  yield note('end', { sha256: hash.digest('hex') });
}

/**
 * Reads a backup to its end without changing anything.
 * @throws DomainError refused when it is damaged, or of another release
 */
export async function verifyBackup(file: string): Promise<Manifest> {
  const manifest: Partial<Manifest> & Omit<Manifest, 'header'> = { tables: [], sequences: [], files: [] };
  const hash = createHash('sha256');
  let end: { sha256: string } | undefined;
  try {
    for await (const { line, rows } of parts(file)) {
      if (end) throw new Error('There is data after its end.');
      const [, kind, json = ''] = /^-- (\w+) (.*)$/s.exec(line ?? '') ?? [];
      if (kind === 'end') end = JSON.parse(json) as typeof end;
      else hash.update(rows ?? `${line}\n`);
      if (kind === 'backup') manifest.header ??= readHeader(JSON.parse(json) as Header);
      if (kind === 'table') manifest.tables.push(JSON.parse(json) as TableDigest);
      if (kind === 'file') {
        const { name, content } = JSON.parse(json) as { name: string; content: string };
        manifest.files.push({ name, content: Buffer.from(content, 'base64') });
      }
      const [, name, value] = /^SELECT setval\('public\.(\w+)', (\d+)\);$/.exec(line ?? '') ?? [];
      if (name && value) manifest.sequences.push({ name, value });
    }
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw damaged(file, error instanceof Error ? error.message : String(error));
  }
  const { header } = manifest;
  if (!header) throw new DomainError('refused', `${file} is not a backup. Nothing was restored.`);
  if (!end) throw damaged(file, 'It ends early.');
  if (end.sha256 !== hash.digest('hex')) throw damaged(file, 'Its checksum is wrong.');
  return { ...manifest, header };
}

const damaged = (file: string, why: string) =>
  new DomainError('refused', `${file} is damaged or not a backup. Nothing was restored. (${why})`);

function readHeader(header: Header): Header {
  if (header.format === format && header.migrations.join() === migrationHashes().join()) return header;
  throw new DomainError(
    'refused',
    `The backup was made with release ${header.release}, whose tables differ. Restore it with that release, and then update.`,
  );
}

export async function restoreRows(file: string, transfer: Transfer, onTable: OnTable): Promise<void> {
  const script = parts(file);
  for await (const { line } of script) {
    const name = /^COPY public\.(\w+) /.exec(line ?? '')?.[1];
    const table = transfer.tables.find((one) => one.name === name);
    if (!table) continue;
    onTable(table.name);
    await transfer.insertRows(table, rowsOf(script));
  }
}

async function* rowsOf(script: AsyncGenerator<Part>): AsyncGenerator<Buffer> {
  for (;;) {
    const { value, done } = await script.next();
    if (done || value.rows === undefined) return;
    yield value.rows;
  }
}

/** A line of the script, or rows: whole lines of a COPY, which its `\.` ends. */
type Part = { line?: string; rows?: Buffer };

async function* parts(file: string): AsyncGenerator<Part> {
  let rest: Buffer = Buffer.alloc(0);
  let isCopy = false;
  const unzip = createGunzip({ chunkSize: 256 * 1024 });
  const unzipped = pipeline(createReadStream(file), unzip);
  // The loop throws the same error.
  unzipped.catch(() => {});
  for await (const chunk of unzip as AsyncIterable<Buffer>) {
    rest = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    let [at, more] = [0, true];
    while (more) {
      const part: Found | undefined = isCopy ? nextRows(rest, at) : nextLine(rest, at);
      more = part !== undefined;
      if (!part) continue;
      at = part.end;
      isCopy = part.rows !== undefined || /^COPY .* FROM stdin;$/.test(part.line ?? '');
      yield part;
    }
    rest = rest.subarray(at);
  }
  if (rest.length > 0) throw new Error('It ends early.');
}

type Found = Part & { end: number };

function nextLine(buffer: Buffer, start: number): Found | undefined {
  const end = buffer.indexOf(10, start);
  return end === -1 ? undefined : { line: buffer.toString('utf8', start, end), end: end + 1 };
}

/** @returns the rows up to `\.`, which is the next line then */
function nextRows(buffer: Buffer, start: number): Found | undefined {
  const isEnd = (at: number) => buffer[at] === 92 && buffer[at + 1] === 46 && buffer[at + 2] === 10;
  if (isEnd(start)) return nextLine(buffer, start);
  const mark = buffer.indexOf('\n\\.\n', start);
  const end = mark === -1 ? buffer.lastIndexOf(10) + 1 : mark + 1;
  return end > start ? { rows: buffer.subarray(start, end), end } : undefined;
}
