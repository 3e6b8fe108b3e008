import { expect, test } from '../support/fixtures.ts';
import { signIn } from './steps.ts';

test('first paint: a page is painted, then its scripts are requested and run, then it is loaded, also from the cache', async ({
  page,
  customer,
}) => {
  await page.addInitScript(() => {
    const onLoad = ({ target }: Event) => {
      if (!(target instanceof HTMLScriptElement)) return;
      performance.mark('script ran');
      document.removeEventListener('load', onLoad, true);
    };
    document.addEventListener('load', onLoad, true);
    // A browser can paint the background some time before the content.
    document.addEventListener('DOMContentLoaded', () => {
      document.body.style.visibility = 'hidden';
      const show = () => document.body.style.removeProperty('visibility');
      new PerformanceObserver(show).observe({ type: 'paint', buffered: true });
    });
    // A busy machine may paint later than the second after which a page stops waiting.
    const { setTimeout } = window;
    Object.assign(window, {
      setTimeout: (run: () => void, ms = 0) => (ms === 1_000 ? 0 : setTimeout(run, ms)),
    });
  });
  await signIn(page, customer);
  for (const path of ['/', '/payout', '/cards']) {
    await page.goto(path);
    const order = await page.evaluate(async () => {
      const started = (name: string) => performance.getEntriesByName(name)[0]?.startTime;
      while (started('script ran') === undefined || started('first-contentful-paint') === undefined)
        await new Promise(requestAnimationFrame);
      const requested = performance
        .getEntriesByType('resource')
        .filter(({ name }) => new URL(name).pathname.endsWith('.js'))
        .map(({ startTime }) => startTime);
      const [navigation] = performance.getEntriesByType('navigation');
      return [
        ['painted', Number(started('first-contentful-paint'))],
        ['script requested', Math.min(...requested)],
        ['script ran', Number(started('script ran'))],
        ['loaded', (navigation as PerformanceNavigationTiming).loadEventStart],
      ]
        .sort(([, one], [, other]) => Number(one) - Number(other))
        .map(([name]) => name);
    });
    expect([path, ...order]).toEqual([path, 'painted', 'script requested', 'script ran', 'loaded']);
  }
});
