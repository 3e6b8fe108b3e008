/**
 * Loaded into the service before it starts (`node --import`) when tests start it: keeps every response that it gives, for
 * the test that looks through them all. The service itself knows nothing of it.
 */
import { appendFileSync, mkdirSync } from 'node:fs';
import { ServerResponse } from 'node:http';
import path from 'node:path';

/** One line of a file in the folder `E2E_RESPONSES`. */
export type RecordedResponse = {
  url: string;
  status: number;
  headers: [string, unknown][];
  bodyBase64: string;
};

type Begun = { headers: [string, unknown][]; parts: Buffer[] };
type Sending = 'writeHead' | 'write' | 'end';

if (process.env.E2E_RESPONSES) recordResponses(process.env.E2E_RESPONSES);

function recordResponses(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${process.pid}.jsonl`);
  const recordings = new WeakMap<ServerResponse, Begun>();
  const begunOf = (response: ServerResponse) => {
    const begun = recordings.get(response) ?? { headers: [], parts: [] };
    recordings.set(response, begun);
    return begun;
  };
  const watch = (name: Sending, note: (response: ServerResponse, parameters: unknown[]) => void) => {
    const send = ServerResponse.prototype[name] as (...parameters: unknown[]) => unknown;
    Object.assign(ServerResponse.prototype, {
      [name](this: ServerResponse, ...parameters: unknown[]) {
        note(this, parameters);
        return send.apply(this, parameters);
      },
    });
  };
  watch('writeHead', (response, parameters) =>
    begunOf(response).headers.push(...Object.entries(response.getHeaders()), ...namedIn(parameters.at(-1))),
  );
  const recordPart = (response: ServerResponse, [part, encoding]: unknown[]) => {
    if (typeof part === 'string') {
      const isLatin1 = encoding === 'latin1' || encoding === 'binary';
      begunOf(response).parts.push(Buffer.from(part, isLatin1 ? 'latin1' : 'utf8'));
    } else if (part instanceof Uint8Array) begunOf(response).parts.push(Buffer.from(part));
  };
  watch('write', recordPart);
  watch('end', (response, parameters) => {
    recordPart(response, parameters);
    // The sandbox shares the process. Its responses may contain tokens.
    if (String(response.req.socket.localPort) === process.env.SANDBOX_PORT) return;
    response.once('prefinish', () => {
      const { headers, parts } = begunOf(response);
      const bodyBase64 = Buffer.concat(parts).toString('base64');
      const recorded: RecordedResponse = {
        url: response.req.url ?? '',
        status: response.statusCode,
        headers,
        bodyBase64,
      };
      appendFileSync(file, `${JSON.stringify(recorded)}\n`);
    });
  });
}

/** Headers may be given as an object, or as a list in which names and values take turns. */
function namedIn(headers: unknown): [string, unknown][] {
  if (!Array.isArray(headers)) return typeof headers === 'object' && headers ? Object.entries(headers) : [];
  return headers.flatMap((name, index) => (index % 2 === 0 ? [[String(name), headers[index + 1]]] : []));
}
