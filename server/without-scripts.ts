import type { ServerResponse } from 'node:http';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import type { Listener } from './unreadable.ts';

type Coding = { read: (body: Buffer) => Buffer; write: (body: Buffer) => Buffer };
const asIs = (body: Buffer) => body;
const codings: Record<string, Coding> = {
  identity: { read: asIs, write: asIs },
  gzip: { read: gunzipSync, write: gzipSync },
  br: { read: brotliDecompressSync, write: brotliCompressSync },
};

/**
 * Next leaves the body of a page that failed empty, for its scripts to fill: without scripts there would be nothing. This
 * adds what failed, what is safe and a way to try again, in the words of the page that scripts show.
 */
export function withWordsOnFailure(pages: Listener): Listener {
  return (request, response) => {
    if (request.method !== 'HEAD') addWordsTo(response);
    return pages(request, response);
  };
}

function addWordsTo(response: ServerResponse): void {
  const { write, end } = response;
  const held: Buffer[] = [];
  const hold = (given: unknown[]) => {
    const [chunk] = given;
    if (typeof chunk === 'string') held.push(Buffer.from(chunk));
    else if (chunk instanceof Uint8Array) held.push(Buffer.from(chunk));
    // A caller may wait to hear that what it wrote was taken.
    const done = given.at(-1);
    if (typeof done === 'function') process.nextTick(() => done());
  };
  response.write = (...given: unknown[]): boolean => {
    if (!isFailedPage(response)) return Reflect.apply(write, response, given);
    hold(given);
    return true;
  };
  response.end = (...given: unknown[]): ServerResponse => {
    if (!isFailedPage(response)) return Reflect.apply(end, response, given);
    hold(given);
    return Reflect.apply(end, response, [withWords(Buffer.concat(held), response)]);
  };
}

function isFailedPage(response: ServerResponse): boolean {
  return (
    response.statusCode >= 500 &&
    String(response.getHeader('content-type')).startsWith('text/html') &&
    response.getHeader('content-length') === undefined &&
    codingOf(response) !== undefined
  );
}

const codingOf = (response: ServerResponse): Coding | undefined =>
  codings[String(response.getHeader('content-encoding') ?? 'identity')];

function withWords(body: Buffer, response: ServerResponse): Buffer {
  const { read, write } = codingOf(response) ?? { read: asIs, write: asIs };
  const styles = /<(\/_next\/static\/[^>"]+\.css)>/.exec(String(response.getHeader('link')))?.[1];
  const page = read(body)
    .toString()
    .replace('</body>', () => `${words(styles)}</body>`);
  return write(Buffer.from(page));
}

const words = (styles: string | undefined) => `<noscript>
${styles ? `<link rel="stylesheet" href="${styles}">` : ''}
<main class="mx-auto grid min-h-dvh max-w-md content-center justify-items-start gap-3 px-4 py-10">
<h1 class="text-page font-semibold tracking-tight text-balance">This page could not be loaded</h1>
<p class="text-muted">The fault is on our side. Your cards, your balance and your keys are safe; nothing was changed.</p>
<a class="mt-3 hit inline-grid place-items-center rounded-control bg-accent px-4 font-medium text-on-accent hover:bg-accent-hover" href="">Try again</a>
</main>
</noscript>`;
