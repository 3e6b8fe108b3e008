/** What the API reads of a request: that of the web, or of Node.js (`src/server/serve-api.ts`). */
export type ApiRequest = Pick<Request, 'method' | 'url' | 'body' | 'signal'> & { headers: RequestHeaders };

export type RequestHeaders = Pick<Headers, 'get'>;

/** What is sent, without headers of the connection. The body is null if the response has none. */
export type HttpResponse = {
  status: number;
  headers: Record<string, string>;
  body: string | Uint8Array<ArrayBuffer> | null;
};
