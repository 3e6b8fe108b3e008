import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { brotliDecompressSync, constants, gunzipSync } from 'node:zlib';
import type { RecordedResponse } from '../support/recorded-responses.ts';

export type ReadableResponse = { path: string; status: number; headers: string; body: string };

/** Every response of every service that the tests started, as text. */
export async function* recordedResponses(folder: string): AsyncGenerator<ReadableResponse> {
  for (const name of await readdir(folder)) {
    for await (const line of createInterface({ input: createReadStream(path.join(folder, name)) })) {
      yield readable(JSON.parse(line) as RecordedResponse);
    }
  }
}

function readable({ url, status, headers, bodyBase64 }: RecordedResponse): ReadableResponse {
  const isCookie = (name: string) => name.toLowerCase() === 'set-cookie';
  const encoding = headers.findLast(([name]) => name.toLowerCase() === 'content-encoding')?.[1];
  const shown = headers.map(([name, value]) => [name, isCookie(name) ? withoutSession(value) : value]);
  return {
    path: url.split(/[?#]/, 1)[0] ?? '',
    status,
    headers: JSON.stringify(shown),
    body: decoded(Buffer.from(bodyBase64, 'base64'), encoding).toString('utf8'),
  };
}

/** The one place that a session belongs in; all else of the cookie is looked at. */
function withoutSession(value: unknown): string {
  return String(value).replace(/(?<=^|,)(?:__Host-)?session=[^;]*/g, 'session=…');
}

function decoded(body: Buffer, encoding: unknown): Buffer {
  if (body.length === 0) return body;
  // A browser may have gone away in the middle: what there is of the response is looked at.
  if (encoding === 'br') return brotliDecompressSync(body, { finishFlush: constants.BROTLI_OPERATION_FLUSH });
  return encoding === 'gzip' ? gunzipSync(body, { finishFlush: constants.Z_SYNC_FLUSH }) : body;
}
