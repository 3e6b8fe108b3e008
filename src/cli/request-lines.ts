import { open } from 'node:fs/promises';

export type LogLine = Record<string, unknown>;

const chunkBytes = 4 * 1024 * 1024;
const newline = 0x0a;

/**
 * The lines of a log that are about a request, in their order. Looks for the bytes of the id and parses only what has
 * them, so that a log of a million lines takes a second and little memory.
 * @param file the log: a JSON document a line
 * @param requestId as it stands in an answer's `X-Request-Id`
 */
export async function linesOfRequest(file: string, requestId: string): Promise<LogLine[]> {
  const needle = Buffer.from(JSON.stringify(requestId));
  const found: LogLine[] = [];
  const log = await open(file);
  try {
    let rest = Buffer.alloc(0);
    for (;;) {
      const { bytesRead, buffer } = await log.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes);
      const bytes = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      const end = bytesRead === 0 ? bytes.length : bytes.lastIndexOf(newline) + 1;
      for (const line of linesWith(bytes.subarray(0, end), needle)) {
        if (line.requestId === requestId) found.push(line);
      }
      if (bytesRead === 0) return found;
      rest = Buffer.from(bytes.subarray(end));
    }
  } finally {
    await log.close();
  }
}

function* linesWith(bytes: Buffer, needle: Buffer): Generator<LogLine> {
  for (let at = bytes.indexOf(needle); at !== -1; ) {
    const start = bytes.lastIndexOf(newline, at) + 1;
    const next = bytes.indexOf(newline, at);
    const end = next === -1 ? bytes.length : next;
    const line = parsed(bytes.toString('utf8', start, end));
    if (line) yield line;
    at = bytes.indexOf(needle, end);
  }
}

/** A line that a crash cut off is no line. */
function parsed(text: string): LogLine | undefined {
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return undefined;
  }
}
