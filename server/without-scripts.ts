import type { ServerResponse } from 'node:http';
import type { Listener } from './unreadable.ts';

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
    return Reflect.apply(end, response, [withWords(Buffer.concat(held).toString(), response)]);
  };
}

function isFailedPage(response: ServerResponse): boolean {
  return (
    response.statusCode >= 500 &&
    String(response.getHeader('content-type')).startsWith('text/html') &&
    response.getHeader('content-length') === undefined
  );
}

function withWords(page: string, response: ServerResponse): string {
  const styles = /<(\/_next\/static\/[^>"]+\.css)>/.exec(String(response.getHeader('link')))?.[1];
  return page.replace('</body>', () => `${words(styles)}</body>`);
}

const words = (styles: string | undefined) => `<noscript>
${styles ? `<link rel="stylesheet" href="${styles}">` : ''}
<main class="mx-auto grid min-h-dvh max-w-md content-center justify-items-start gap-3 px-4 py-10">
<h1 class="text-page font-semibold tracking-tight text-balance">This page could not be loaded</h1>
<p class="text-muted">The fault is on our side. Your cards, your balance and your keys are safe; nothing was changed.</p>
<a class="mt-3 hit inline-grid place-items-center rounded-control bg-accent px-4 font-medium text-on-accent hover:bg-accent-hover" href="">Try again</a>
</main>
</noscript>`;
