/** The published types would add all of the Express types. */
declare module 'compression' {
  import type { IncomingMessage, ServerResponse } from 'node:http';
  import type { BrotliOptions } from 'node:zlib';

  type Filter = (request: IncomingMessage, response: ServerResponse) => boolean;
  type Options = { brotli: BrotliOptions; filter: Filter };
  type Middleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

  const compression: { (options: Options): Middleware; filter: Filter };
  export default compression;
}
