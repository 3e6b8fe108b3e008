import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { DomainError } from '#src/errors.ts';
import { oldLogFilesMax } from '#src/log-file.ts';
import { SettingsError } from '#src/settings.ts';
import { serviceLogFile } from '../command-context.ts';
import { OperatorCommand } from '../operator-command.ts';
import { keyValueLines } from '../output.ts';

export const requestCommand = new OperatorCommand('request').description('Look up requests in the log');

requestCommand
  .command('show')
  .description('Show the log lines of a request by its ID')
  .argument('<id>', 'the X-Request-Id of the response')
  .addHelpText('after', '\nReads LOG_FILE.\n\nExample:\n  $ operator request show order-2026-11-20.7')
  .run(async (id: string) => {
    const lines = await readRequestLogs(serviceLogFile(), id).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      throw new SettingsError('LOG_FILE does not exist. Set it to the file that the service logs to.');
    });
    if (lines.length === 0) throw new DomainError('not_found', 'The log has no request with this ID.');
    return { document: { lines }, lines: () => lines.flatMap(logLines) };
  });

function logLines({ level: _level, msg: _msg, ...line }: LogLine, index: number): string[] {
  const pairs = Object.entries(line).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return [...(index > 0 ? [''] : []), ...keyValueLines(Object.fromEntries(pairs))];
}

type LogLine = Record<string, unknown>;

const chunkBytes = 4 * 1024 * 1024;
const newline = 0x0a;

/** Also reads the older files of the log, oldest first. */
export async function readRequestLogs(file: string, requestId: string): Promise<LogLine[]> {
  const old = Array.from({ length: oldLogFilesMax }, (_, index) => `${file}.${oldLogFilesMax - index}`);
  let lines: LogLine[] = [];
  for (const name of [...old.filter((one) => existsSync(one)), file])
    lines = lines.concat(await readRequestLog(name, requestId));
  return lines;
}

/**
 * Finds the log lines of a request, in order. Searches for the bytes of the ID and parses only lines that contain them:
 * a log of a million lines takes about a second.
 * @param file newline-delimited JSON
 * @param requestId the `X-Request-Id` of the response
 */
export async function readRequestLog(file: string, requestId: string): Promise<LogLine[]> {
  const needle = Buffer.from(JSON.stringify(requestId));
  const lines: LogLine[] = [];
  const log = await open(file);
  try {
    let rest = Buffer.alloc(0);
    for (;;) {
      const { bytesRead, buffer } = await log.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes);
      const bytes = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      const end = bytesRead === 0 ? bytes.length : bytes.lastIndexOf(newline) + 1;
      for (const line of linesContaining(bytes.subarray(0, end), needle)) {
        if (line.requestId === requestId) lines.push(line);
      }
      if (bytesRead === 0) return lines;
      rest = Buffer.from(bytes.subarray(end));
    }
  } finally {
    await log.close();
  }
}

function* linesContaining(bytes: Buffer, needle: Buffer): Generator<LogLine> {
  for (let at = bytes.indexOf(needle); at !== -1; ) {
    const start = bytes.lastIndexOf(newline, at) + 1;
    const next = bytes.indexOf(newline, at);
    const end = next === -1 ? bytes.length : next;
    const line = parseLine(bytes.toString('utf8', start, end));
    if (line) yield line;
    at = bytes.indexOf(needle, end);
  }
}

/** @returns undefined for a line that a crash truncated */
function parseLine(text: string): LogLine | undefined {
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return undefined;
  }
}
