import { expect, test } from '../support/fixtures.ts';
import { signIn } from './steps.ts';

test('first paint: a page is painted before its scripts run, also from the cache', async ({
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
  });
  await signIn(page, customer);
  for (const path of ['/', '/payout', '/cards']) {
    await page.goto(path);
    const order = await page.evaluate(async () => {
      const started = (name: string) => performance.getEntriesByName(name)[0]?.startTime;
      while (started('script ran') === undefined || started('first-contentful-paint') === undefined)
        await new Promise(requestAnimationFrame);
      return Number(started('first-contentful-paint')) < Number(started('script ran'));
    });
    expect([path, order]).toEqual([path, true]);
  }
});
