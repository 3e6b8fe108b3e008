import { type DestinationStream, destination, type Logger, pino } from 'pino';
import { settings } from '#settings.ts';

let logger: Logger | undefined;

/** The process's log: JSON lines to `LOG_FILE`, else to standard output. */
export function log(): Logger {
  logger ??= makeLogger();
  return logger;
}

function makeLogger(): Logger {
  const { LOG_LEVEL, LOG_FILE } = settings();
  const options = {
    level: LOG_LEVEL,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    // Nothing logs these; should somebody start to, they stay out all the same.
    redact: [
      '*.token',
      '*.apiSecret',
      '*.api_secret',
      '*["x-auth-apisecret"]',
      '*.cookie',
      '*.authorization',
      '*.parameters',
    ],
    serializers: { error: errorFacts },
  };
  const target: DestinationStream = destination(
    LOG_FILE ? { dest: LOG_FILE, mkdir: true, sync: false } : { dest: 1, sync: false },
  );
  return pino(options, target);
}

/** Enough to find a fault, and none of the values that a database or provider error carries along. */
function errorFacts(error: unknown): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const code = 'code' in error ? error.code : undefined;
  const isQuery = error.message.startsWith('Failed query');
  return {
    type: error.name,
    code,
    message: isQuery ? 'Failed query' : error.message,
    stack: error.stack
      ?.split('\n')
      .filter((line) => line.trimStart().startsWith('at '))
      .slice(0, 12),
    ...(error.cause !== undefined && { cause: errorFacts(error.cause) }),
  };
}
