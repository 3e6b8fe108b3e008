import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiRequest } from '#src/api/messages.ts';

/** A request of Node.js whose body nobody reads. */
export class BodilessRequest implements ApiRequest {
  readonly method: string;
  readonly url: string;
  readonly body = null;
  readonly headers: ApiRequest['headers'];
  readonly #response: ServerResponse;

  constructor({ method = '', url = '', headers }: IncomingMessage, response: ServerResponse) {
    this.method = method;
    this.url = `http://localhost${url}`;
    this.headers = { get: (name) => headers[name]?.toString() ?? null };
    this.#response = response;
  }

  /** Aborted when the client disconnects. */
  get signal(): AbortSignal {
    const controller = new AbortController();
    const response = this.#response;
    const abort = () => response.writableFinished || controller.abort();
    if (response.destroyed) abort();
    else response.once('close', abort);
    return controller.signal;
  }
}
