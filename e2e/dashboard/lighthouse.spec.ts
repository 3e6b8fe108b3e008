/** Best practices and search engine findings, in the full run only. The accessibility specs run axe on the same pages. */

import { dashboardPages } from '#components/layout/nav-items.ts';
import { docsPath } from '#src/docs/page.ts';
import { docsPages } from '#src/docs/pages.ts';
import { readSettings } from '#src/settings.ts';
import { addTestCard, expect, test } from '../support/fixtures.ts';
import { auditPage, sessionCookie } from '../support/lighthouse.ts';
import { signIn } from './steps.ts';

const settings = readSettings({});

const signedIn = dashboardPages.map(({ path }) => path);
const open = ['/sign-in', ...docsPages(settings).map(({ slug }) => docsPath(slug))];

async function faultsOf(url: string, categories: string[], cookie?: string): Promise<string[]> {
  const settings = {
    onlyCategories: categories,
    // No audit here depends on the speed of the network.
    throttlingMethod: 'provided' as const,
  };
  const { launchOptions = {} } = test.info().project.use;
  const { categories: judged, audits } = await auditPage(url, launchOptions, settings, cookie);
  return Object.values(judged)
    .filter(({ score }) => score !== 1)
    .flatMap(({ id, score, auditRefs }) => [
      `${id}: ${score}`,
      ...auditRefs
        .map((ref) => audits[ref.id])
        .filter((one) => one && one.score !== null && one.score < 1)
        .map((one) => `${one?.id}: ${JSON.stringify(one?.details ?? one?.explanation)}`),
    ]);
}

for (const path of signedIn) {
  test(`Lighthouse: ${path} has no findings`, async ({ page, customer, clientOf, baseURL }) => {
    test.slow();
    await addTestCard(clientOf(customer));
    await signIn(page, customer);
    const cookie = await sessionCookie(page.context());
    expect(await faultsOf(`${baseURL}${path}`, ['best-practices'], cookie)).toEqual([]);
  });
}

for (const path of open) {
  test(`Lighthouse: ${path} has no findings and is not indexable`, async ({ baseURL }) => {
    test.slow();
    expect(await faultsOf(`${baseURL}${path}`, ['best-practices', 'seo'])).toEqual([]);
  });
}
