import cluster from 'node:cluster';
import {
  close,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  renameSync,
  statSync,
  write,
  writeSync,
} from 'node:fs';
import { devNull } from 'node:os';
import path from 'node:path';

/** Older files have a number at the end of their names. */
export const oldLogFilesMax = 5;
const followEveryMs = 1_000;
const writeAfterMs = 100;
/** Of lines that are written at once: up to 200. */
const writeBytesMin = 64 * 1024;
/** Of lines that wait to be written: about 15,000. More are dropped, so that a disk or a reader cannot stop the service. */
const waitingBytesMax = 4 * 1024 * 1024;
/** At the exit, while the reader of a pipe does not read. */
const exitWaitMs = 500;
const exitRetryMs = 10;

/** One listener, because tests open many logs. */
const atExit: (() => void)[] = [];
process.on('exit', () => {
  for (const writeRest of atExit) writeRest();
});

type Options = { bytesMax: number; onRecovery: (dropped: number) => void };

/**
 * Writes lines to a file, or to standard output, in the background. While they cannot be written, the service goes on.
 * The file is rotated by size, and reopened when its name leads to another file, so that logrotate needs no signal.
 * Decision: docs/decisions/0026-log-file.md.
 * @param onRecovery gets the number of lines that were dropped before writing was possible again
 * @throws Error if the file cannot be opened, except in a worker process, whose start it does not prevent
 */
export function openLogFile(file: string | undefined, { bytesMax, onRecovery }: Options) {
  // This makes a pipe non-blocking. Otherwise, the exit would wait for its reader.
  if (file === undefined) void process.stdout;
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let timer: NodeJS.Timeout | undefined;
  /** The descriptor of the write that is under way. */
  let writing: number | undefined;
  let isStuck = false;
  let dropped = 0;
  const failures = new Set<'write' | 'open'>();
  const flushing: ((error?: Error) => void)[] = [];
  const fail = (what: 'write' | 'open', { code }: NodeJS.ErrnoException) => {
    const isKnown = failures.size > 0;
    failures.add(what);
    if (!isKnown) process.stderr.write(`The log cannot be written (${code}). The service keeps running.\n`);
  };
  const open = (name: string) => {
    try {
      return opened(name);
    } catch (error) {
      if (cluster.isPrimary) throw error;
      fail('open', error as NodeJS.ErrnoException);
      // Refuses every line, until the file can be opened.
      return openSync(devNull, 'r');
    }
  };
  let fd = file === undefined ? 1 : open(file);
  const take = () => {
    const lines = Buffer.concat(waiting);
    [waiting, waitingBytes] = [[], 0];
    return lines;
  };
  const writeLater = () => {
    if (waitingBytes > 0) timer ??= setTimeout(writeWaiting, writeAfterMs).unref();
  };
  const writeWaiting = () => {
    clearTimeout(timer);
    timer = undefined;
    const [target, lines] = [fd, take()];
    writing = target;
    write(target, lines, (error, written = 0) => {
      writing = undefined;
      isStuck = error !== null;
      if (target !== fd) close(target);
      const rest = lines.subarray(written);
      waiting.unshift(rest);
      waitingBytes += rest.length;
      if (!error) failures.delete('write');
      else if (error.code !== 'EAGAIN') fail('write', error);
      const isDue = rest.length > 0 || waitingBytes >= (flushing.length > 0 ? 1 : writeBytesMin);
      if (!isStuck && isDue) {
        writeWaiting();
      } else {
        writeLater();
        for (const flushed of flushing.splice(0)) flushed(error ?? undefined);
      }
      if (rest.length > 0 || dropped === 0) return;
      const count = dropped;
      dropped = 0;
      onRecovery(count);
    });
  };
  atExit.push(() => writeAtExit(fd, take()));
  if (file !== undefined) {
    const follow = () => {
      try {
        const old = fd;
        fd = followed(file, fd, bytesMax);
        if (fd !== old && old !== writing) close(old);
        failures.delete('open');
      } catch (error) {
        fail('open', error as NodeJS.ErrnoException);
      }
    };
    setInterval(follow, followEveryMs).unref();
  }
  return {
    /** `flushed` gets an error if the lines could not be written. */
    flush: (flushed: (error?: Error) => void) => {
      flushing.push(flushed);
      if (writing === undefined) writeWaiting();
    },
    write: (text: string) => {
      const line = Buffer.from(text);
      if (waitingBytes + line.length > waitingBytesMax) {
        dropped += 1;
        return;
      }
      waiting.push(line);
      waitingBytes += line.length;
      if (writing !== undefined) return;
      if (isStuck || waitingBytes < writeBytesMin) writeLater();
      else writeWaiting();
    },
  };
}

/** A full disk does not prevent the exit, and a full pipe only delays it. */
function writeAtExit(fd: number, lines: Buffer): void {
  const deadlineMs = performance.now() + exitWaitMs;
  for (let written = 0; written < lines.length; ) {
    try {
      written += writeSync(fd, lines, written);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || performance.now() > deadlineMs) return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, exitRetryMs);
    }
  }
}

/**
 * @returns the descriptor to write to: that of the file with the name, which is rotated when it is too large
 * @throws Error if the file cannot be renamed or opened
 */
function followed(file: string, fd: number, bytesMax: number): number {
  const [current, named] = [fstatSync(fd), statSync(file, { throwIfNoEntry: false })];
  const isSame = named?.ino === current.ino && named.dev === current.dev;
  if (isSame) {
    // Only one process renames. The others follow.
    if (!current.isFile() || current.size < bytesMax || !cluster.isPrimary) return fd;
    rotate(file);
  }
  return openSync(file, 'a', 0o600);
}

/** Opened synchronously, so that its lines can be written at an early exit. */
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
