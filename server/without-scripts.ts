import type { ServerResponse } from 'node:http';

/**
 * Next leaves the body of a page that failed empty, for its scripts to fill: without scripts there would be nothing. This
 * adds what failed, what is safe and a way to try again, in the words of the page that scripts show.
 */
export function withWordsOnFailure(page: Buffer, response: ServerResponse): Buffer | string {
  if (response.statusCode < 500 || !String(response.getHeader('content-type')).startsWith('text/html'))
    return page;
  const styles = /<(\/_next\/static\/[^>"]+\.css)>/.exec(String(response.getHeader('link')))?.[1];
  return page.toString().replace('</body>', () => `${words(styles)}</body>`);
}

const words = (styles: string | undefined) => `<noscript>
${styles ? `<link rel="stylesheet" href="${styles}">` : ''}
<main class="mx-auto grid min-h-dvh max-w-md content-center gap-7 px-4 py-10">
<img src="/icon.svg" alt="" class="size-9">
<div class="grid justify-items-start gap-3">
<h1 class="text-page font-semibold tracking-tight text-balance">This page could not be loaded</h1>
<p class="text-muted">The fault is on our side. Your cards, your balance and your keys are safe; nothing was changed.</p>
<a class="mt-3 hit inline-grid place-items-center rounded-control bg-accent px-4 font-medium text-on-accent hover:bg-accent-hover" href="">Try again</a>
</div>
</main>
</noscript>`;
