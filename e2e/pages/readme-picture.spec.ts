import { existsSync } from 'node:fs';
import { expect, newCity, newCustomer, newDelivery, test } from '../fixtures.ts';
import { addCardByApi, signIn } from './steps.ts';

const picture = 'docs/images/overview.png';

test('the picture in the README is of this overview', async ({ page, db, api }) => {
  const customer = await newCustomer(db, { city: await newCity(db, { name: 'Fremont' }) });
  await newDelivery(db, customer, { amountCents: 128_450n });
  await addCardByApi(api, customer);
  await page.setViewportSize({ width: 1280, height: 900 });
  await signIn(page, customer);
  await expect(page.locator('.leaflet-container path.map-area')).toBeAttached();
  await page.evaluate(() => document.fonts.ready);
  if (process.env.UPDATE_SCREENSHOTS)
    await page.screenshot({ path: picture, fullPage: true, animations: 'disabled' });
  expect(existsSync(picture), 'UPDATE_SCREENSHOTS=1 makes the picture anew').toBe(true);
});
