import { hostname } from 'node:os';
import { type Logger, pino } from 'pino';
import { openLogFile } from './log-file.ts';
import type { Settings } from './settings.ts';

type LogSettings = Pick<Settings, 'LOG_LEVEL' | 'LOG_FILE' | 'LOG_FILE_MB'>;

/** JSON lines to `LOG_FILE`, or else to standard output. @throws Error if the file cannot be opened */
export function createLogger({ LOG_LEVEL, LOG_FILE, LOG_FILE_MB }: LogSettings): Logger {
  const options = {
    level: LOG_LEVEL,
    base: { instance: `${hostname()}:${process.pid}` },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }), log: knownFields },
    serializers: { error: errorDetails },
  };
  const onRecovery = (dropped: number) => log.warn({ dropped }, 'Log lines were dropped.');
  const log = pino(options, openLogFile(LOG_FILE, { bytesMax: LOG_FILE_MB * 1024 * 1024, onRecovery }));
  return log;
}

/** The allowed fields of a log line. Other fields are dropped. */
const known = new Set([
  'mode',
  'requestId',
  'traceId',
  'operation',
  'method',
  'status',
  'elapsedMs',
  'path',
  'address',
  'channel',
  'keyPrefix',
  'event',
  'blocked',
  'isPaymentPage',
  'reason',
  'customerId',
  'processId',
  'provider',
  'replayed',
  'eventId',
  'eventType',
  'task',
  'difference',
  'paymentMethodId',
  'counts',
  'dropped',
  'error',
]);

function knownFields(line: Record<string, unknown>): Record<string, unknown> {
  if (Object.keys(line).every((name) => known.has(name))) return line;
  return Object.fromEntries(Object.entries(line).filter(([name]) => known.has(name)));
}

/** Messages of PostgreSQL and of parsers can quote values, so they are not logged. */
function publicMessage({ name, message }: Error, code: unknown): string {
  if (name === 'SyntaxError') return 'A text could not be parsed';
  if (message.startsWith('Failed query')) return 'Failed query';
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? `PostgreSQL refused: ${code}` : message;
}

/** Leaves out the values that database and provider errors contain. */
function errorDetails(error: unknown): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const code = 'code' in error ? error.code : undefined;
  return {
    type: error.name,
    code,
    message: publicMessage(error, code),
    stack: framesOf(error),
    ...(error.cause !== undefined && { cause: errorDetails(error.cause) }),
  };
}

/** The stack has the message first, which can have lines that look like frames. */
function framesOf({ message, stack = '' }: Error): string[] {
  const start = stack.indexOf(message);
  const lines = start === -1 ? [] : stack.slice(start + message.length).split('\n');
  return lines.filter((line) => line.trimStart().startsWith('at ')).slice(0, 12);
}
