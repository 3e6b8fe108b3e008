import { mkdirSync, openSync } from 'node:fs';
import path from 'node:path';
import { destination, type Logger, pino } from 'pino';
import type { Settings } from './settings.ts';

/** JSON lines to `LOG_FILE`, else to standard output. @throws Error where the file cannot be opened */
export function createLogger({ LOG_LEVEL, LOG_FILE }: Pick<Settings, 'LOG_LEVEL' | 'LOG_FILE'>): Logger {
  const options = {
    level: LOG_LEVEL,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }), log: knownFields },
    serializers: { error: errorDetails },
  };
  const file = destination({
    dest: LOG_FILE ? opened(LOG_FILE) : 1,
    sync: false,
    // A write for many lines, not for each; whoever looks for a request finds it as soon as before.
    minLength: 4096,
    periodicFlush: 100,
    // Of texts it would measure all that waits again with each line; its types name only those.
    contentMode: 'buffer',
  });
  const write = file.write.bind(file) as unknown as (line: Buffer) => boolean;
  file.write = (line) => write(Buffer.from(line));
  return pino(options, file);
}

/** At once: a file that is still being opened cannot be flushed when the process ends. */
function opened(file: string): number {
  mkdirSync(path.dirname(file), { recursive: true });
  return openSync(file, 'a');
}

/** All that a line may say of a request or a task. Whatever else somebody should log one day stays out. */
const known = new Set([
  'requestId',
  'operation',
  'method',
  'status',
  'elapsedMs',
  'customerId',
  'provider',
  'replayed',
  'eventId',
  'eventType',
  'task',
  'error',
]);

function knownFields(line: Record<string, unknown>): Record<string, unknown> {
  if (Object.keys(line).every((name) => known.has(name))) return line;
  return Object.fromEntries(Object.entries(line).filter(([name]) => known.has(name)));
}

/** PostgreSQL's own words may quote a value: its code says what went wrong. */
function publicMessage(message: string, code: unknown): string {
  if (message.startsWith('Failed query')) return 'Failed query';
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? `PostgreSQL refused: ${code}` : message;
}

/** Enough to find a fault, and none of the values that a database or provider error carries along. */
function errorDetails(error: unknown): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const code = 'code' in error ? error.code : undefined;
  return {
    type: error.name,
    code,
    message: publicMessage(error.message, code),
    stack: error.stack
      ?.split('\n')
      .filter((line) => line.trimStart().startsWith('at '))
      .slice(0, 12),
    ...(error.cause !== undefined && { cause: errorDetails(error.cause) }),
  };
}
