import type { Middleware } from './middleware.ts';

/**
 * The browser paints a page before it runs the page's scripts. They would otherwise run first when they arrive within the same
 * frame as the styles, such as from the browser's cache, and the reader of a slow phone would wait for them. Pages are readable
 * without scripts. Delete when Next can load its scripts after the first paint (e2e/dashboard/first-paint.spec.ts).
 */
export const paintFirst: Middleware = (_request, response, next) => {
  const { write, end } = response;
  let isHolding = false;
  const rewrite = (chunk: unknown): unknown => {
    const nonce = /'nonce-([^']+)'/.exec(String(response.getHeader('content-security-policy')))?.[1];
    const isHtml = String(response.getHeader('content-type')).startsWith('text/html');
    if (!isHtml || !nonce || !(chunk instanceof Uint8Array)) return chunk;
    let html = Buffer.from(chunk).toString('latin1');
    if (!isHolding && html.includes('<head>')) {
      isHolding = true;
      const script = `<script nonce="${nonce}">(${String(runScriptsAfterPaint)})()</script>`;
      html = html.replace('<head>', () => `<head>${script}`);
    }
    if (!isHolding) return chunk;
    html = html.replaceAll(chunkPreload, '').replaceAll(chunkScript, '<script type="held" src=');
    return Buffer.from(html, 'latin1');
  };
  response.write = (...[chunk, ...rest]: unknown[]) =>
    Reflect.apply(write, response, [rewrite(chunk), ...rest]);
  response.end = (...[chunk, ...rest]: unknown[]) => Reflect.apply(end, response, [rewrite(chunk), ...rest]);
  next();
};

/** It would share the slow phone's bandwidth with the styles. */
const chunkPreload = /<link rel="preload" as="script"[^>]*>/g;
const chunkScript = /<script src=(?="\/_next\/static\/chunks\/[^>]* async="")/g;

/**
 * Runs in the browser. A hidden page and Next's error page, which scripts fill, have nothing to paint first. A frame that is
 * still loading holds back the page's `load` event, which would not wait for the scripts: tests click right after it.
 */
function runScriptsAfterPaint() {
  const frame = document.createElement('iframe');
  const run = () => {
    // The last one is the largest. It goes first, so that a task of its own compiles it before another one runs the page.
    for (const held of [...document.querySelectorAll<HTMLScriptElement>('script[type=held]')].reverse()) {
      const script = document.createElement('script');
      script.async = false;
      script.nonce = held.nonce;
      // Next compares the path, which `held.src` would make a URL.
      script.setAttribute('src', held.getAttribute('src') ?? '');
      // Next requests a script that is not in the document, but waits forever for one that has failed.
      script.addEventListener('error', () => script.remove());
      held.replaceWith(script);
    }
    frame.remove();
  };
  document.addEventListener('DOMContentLoaded', () => {
    const isEmpty = document.documentElement.id === '__next_error__';
    if (document.hidden || isEmpty) return run();
    setTimeout(run, 1_000);
    frame.hidden = true;
    document.body.append(frame);
    frame.contentDocument?.open();
    new PerformanceObserver(run).observe({ type: 'paint', buffered: true });
  });
}
