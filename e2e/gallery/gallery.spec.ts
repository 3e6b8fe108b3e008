/** Every page in every state as a picture, to be looked at: `npm run gallery`. */

import { askPoint } from '../dashboard/steps.ts';
import { openStreetMap, test as withStreets } from '../dashboard/street-service.ts';
import { expect, test } from '../support/fixtures.ts';
import { shoot } from './shoot.ts';
import type { State } from './state.ts';
import { apiAccessStates, profileStates } from './states/account.ts';
import { cardFormStates } from './states/card-form.ts';
import { cardsStates } from './states/cards.ts';
import { consoleStates } from './states/console.ts';
import { errorStates } from './states/errors.ts';
import { overviewStates } from './states/overview.ts';
import { payoutStates } from './states/payout.ts';
import { serviceAreaStates } from './states/service-area.ts';
import { signInStates } from './states/sign-in.ts';

const sections: Record<string, State[]> = {
  'sign-in': signInStates,
  overview: overviewStates,
  payout: payoutStates,
  cards: cardsStates,
  'card-form': cardFormStates,
  'service-area': serviceAreaStates,
  'api-access': apiAccessStates,
  profile: profileStates,
  errors: errorStates,
  docs: consoleStates,
};

// Caches the font, because a page painted before its font has loaded keeps the fallback font.
test.beforeEach(async ({ page }) => void (await page.goto('/sign-in')));

for (const [section, states] of Object.entries(sections)) {
  for (const { name, reach, isWithoutScripts = false, isWindowOnly = false } of states) {
    test.describe(() => {
      test.use({ expectedFaults: [/./], javaScriptEnabled: !isWithoutScripts });

      test(`${section}, ${name}`, async ({ page, context, db, api, customer }) => {
        test.slow();
        await reach({ page, context, db, api, customer });
        await shoot(page, section, name, { isWindowOnly });
      });
    });
  }
}

test('docs, each page', async ({ page }) => {
  test.setTimeout(180_000);
  await page.goto('/docs');
  const links = page.locator('nav a[href^="/docs"]');
  const hrefs = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
  for (const path of new Set(hrefs)) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await shoot(page, 'docs', path.replace('/docs', '').slice(1) || 'start');
  }
});

withStreets.describe('with street tiles', () => {
  withStreets.use({ expectedFaults: [/./] });

  for (const areTilesBlocked of [false, true]) {
    const name = areTilesBlocked ? 'street-tiles-blocked' : 'street-tiles';
    withStreets(`service-area, ${name}`, async ({ page, service, customer }) => {
      withStreets.slow();
      await openStreetMap(page, service, customer, { areTilesBlocked });
      await askPoint(page, '37.56, -122.1');
      await shoot(page, 'service-area', name);
    });
  }
});
