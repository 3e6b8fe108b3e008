/** Loaded into a service with `node --import`. Records every response for the leak scan. */
import { appendFileSync, mkdirSync } from 'node:fs';
import { ServerResponse } from 'node:http';
import path from 'node:path';

/** One line of a file in the folder `E2E_RESPONSES`. */
export type RecordedResponse = {
  method: string;
  url: string;
  status: number;
  headers: [string, unknown][];
  bodyBase64: string;
};

type Recording = { headers: [string, unknown][]; parts: Buffer[] };
type Sending = 'writeHead' | 'write' | 'end';

if (process.env.E2E_RESPONSES) recordResponses(process.env.E2E_RESPONSES);

function recordResponses(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${process.pid}.jsonl`);
  const recordings = new WeakMap<ServerResponse, Recording>();
  const recordingOf = (response: ServerResponse) => {
    const recording = recordings.get(response) ?? { headers: [], parts: [] };
    recordings.set(response, recording);
    return recording;
  };
  const watch = (name: Sending, record: (response: ServerResponse, parameters: unknown[]) => void) => {
    const send = ServerResponse.prototype[name] as (...parameters: unknown[]) => unknown;
    Object.assign(ServerResponse.prototype, {
      [name](this: ServerResponse, ...parameters: unknown[]) {
        record(this, parameters);
        return send.apply(this, parameters);
      },
    });
  };
  watch('writeHead', (response, parameters) =>
    recordingOf(response).headers.push(
      ...Object.entries(response.getHeaders()),
      ...headerPairs(parameters.at(-1)),
    ),
  );
  const recordPart = (response: ServerResponse, [part, encoding]: unknown[]) => {
    if (typeof part === 'string') {
      const isLatin1 = encoding === 'latin1' || encoding === 'binary';
      recordingOf(response).parts.push(Buffer.from(part, isLatin1 ? 'latin1' : 'utf8'));
    } else if (part instanceof Uint8Array) recordingOf(response).parts.push(Buffer.from(part));
  };
  watch('write', recordPart);
  watch('end', (response, parameters) => {
    recordPart(response, parameters);
    // The sandbox shares the process. Its responses may contain tokens.
    if (String(response.req.socket.localPort) === process.env.SANDBOX_PORT) return;
    response.once('prefinish', () => {
      const { headers, parts } = recordingOf(response);
      const bodyBase64 = Buffer.concat(parts).toString('base64');
      const recorded: RecordedResponse = {
        method: response.req.method ?? '',
        url: response.req.url ?? '',
        status: response.statusCode,
        headers,
        bodyBase64,
      };
      appendFileSync(file, `${JSON.stringify(recorded)}\n`);
    });
  });
}

/** `writeHead` takes headers as an object, or as a list of alternating names and values. */
function headerPairs(headers: unknown): [string, unknown][] {
  if (!Array.isArray(headers)) return typeof headers === 'object' && headers ? Object.entries(headers) : [];
  return headers.flatMap((name, index) => (index % 2 === 0 ? [[String(name), headers[index + 1]]] : []));
}
