import type { HtmlRewriter } from './middleware.ts';

/**
 * The browser paints a page before it runs the page's scripts. They would otherwise run first when they arrive within the same
 * frame as the styles, such as from the browser's cache, and the reader of a slow phone would wait for them. Pages are readable
 * without scripts. Delete when Next can load its scripts after the first paint (e2e/dashboard/first-paint.spec.ts).
 */
export const holdScripts: HtmlRewriter = (response) => {
  let isHolding = false;
  return (html) => {
    const nonce = /'nonce-([^']+)'/.exec(String(response.getHeader('content-security-policy')))?.[1];
    let held = html;
    if (!isHolding && nonce && html.includes('<head>')) {
      isHolding = true;
      const script = `<script nonce="${nonce}">(${String(runScriptsAfterPaint)})()</script>`;
      held = html.replace('<head>', () => `<head>${script}`);
    }
    if (!isHolding) return html;
    return held.replaceAll(chunkPreload, '').replaceAll(chunkScript, '<script type="held" src=');
  };
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
    // The background can be painted some time before the content.
    const observer = new PerformanceObserver((paints) => {
      if (paints.getEntriesByName('first-contentful-paint').length > 0) run();
    });
    observer.observe({ type: 'paint', buffered: true });
  });
}
