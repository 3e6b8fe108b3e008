import cluster from 'node:cluster';
import { close, existsSync, fstatSync, mkdirSync, openSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import { destination } from 'pino';

/** Older files have a number at the end of their names. */
export const oldLogFilesMax = 5;
const checkEveryMs = 1_000;
/** Of lines that wait to be written: about 15,000. More are dropped, so that a disk or a reader cannot stop the service. */
const waitingBytesMax = 4 * 1024 * 1024;

type Options = { bytesMax: number; onRecovery: (dropped: number) => void };

/**
 * Writes lines to a file, or to standard output, in the background. While they cannot be written, the service goes on.
 * The file is rotated by size, and reopened when its name leads to another file, so that logrotate needs no signal.
 * Decision: docs/decisions/0026-log-file.md.
 * @param onRecovery gets the number of lines that were dropped before writing was possible again
 * @throws Error if the file cannot be opened
 */
export function openLogFile(file: string | undefined, { bytesMax, onRecovery }: Options) {
  const stream = destination({
    dest: file === undefined ? 1 : opened(file),
    sync: false,
    append: true,
    mode: 0o600,
    // One write for up to 200 lines.
    minLength: 64 * 1024,
    maxWrite: 128 * 1024,
    maxLength: waitingBytesMax,
    periodicFlush: 100,
    // With strings, it would measure the whole buffer again for each line. Its types allow only strings.
    contentMode: 'buffer',
  });
  const write = stream.write.bind(stream) as unknown as (line: Buffer) => boolean;
  stream.write = (line) => write(Buffer.from(line));
  const flushSync = stream.flushSync.bind(stream);
  let dropped = 0;
  const failures = new Set<'write' | 'open'>();
  const fail = (what: 'write' | 'open', { code }: NodeJS.ErrnoException) => {
    if (failures.has(what)) return;
    failures.add(what);
    process.stderr.write(`The log cannot be written (${code}). The service keeps running.\n`);
  };
  stream.on('drop', () => (dropped += 1));
  stream.on('error', (error) => fail('write', error));
  stream.on('write', () => failures.delete('write'));
  stream.on('drain', () => {
    const count = dropped;
    dropped = 0;
    if (count > 0) onRecovery(count);
  });
  stream.flushSync = () => {
    // Called at the exit, which a full disk or a full pipe must not prevent.
    if (failures.has('write') || dropped > 0) return;
    try {
      flushSync();
    } catch {}
  };
  if (file !== undefined) {
    const follow = () => {
      try {
        followFile(file, stream, bytesMax);
        failures.delete('open');
      } catch (error) {
        fail('open', error as NodeJS.ErrnoException);
      }
    };
    setInterval(follow, checkEveryMs).unref();
  }
  return stream;
}

/**
 * Its own `reopen` adds a listener for each attempt that fails, and each of them closes the old descriptor later.
 * @throws Error if the file cannot be renamed or opened
 */
function followFile(file: string, stream: ReturnType<typeof destination>, bytesMax: number): void {
  const open = stream as unknown as { fd: number };
  const [current, named] = [fstatSync(open.fd), statSync(file, { throwIfNoEntry: false })];
  const isSame = named?.ino === current.ino && named.dev === current.dev;
  if (isSame) {
    // Only one process renames. The others follow.
    if (!current.isFile() || current.size < bytesMax || !cluster.isPrimary) return;
    rotate(file);
  }
  const old = open.fd;
  open.fd = openSync(file, 'a', 0o600);
  // A write to it may be under way.
  const closeOld = () => {
    stream.off('write', closeOld).off('error', closeOld);
    close(old);
  };
  stream.on('write', closeOld).on('error', closeOld);
}

/** Opened synchronously, because a file that is still being opened cannot be flushed on exit. */
function opened(file: string): number {
  mkdirSync(path.dirname(file), { recursive: true });
  return openSync(file, 'a', 0o600);
}

function rotate(file: string): void {
  for (let number = oldLogFilesMax; number > 1; number -= 1) {
    const newer = `${file}.${number - 1}`;
    if (existsSync(newer)) renameSync(newer, `${file}.${number}`);
  }
  renameSync(file, `${file}.1`);
}
