import { expect, test } from '../support/fixtures.ts';
import { signIn } from './steps.ts';

test('API access: explains how to copy by hand when the clipboard is blocked', async ({ page, customer }) => {
  await page.addInitScript(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('Not allowed.'));
  });
  await signIn(page, customer, '/api-access');
  const key = page.getByRole('region', { name: 'API key' });
  await key.getByRole('button', { name: 'Copy API key' }).click();
  await expect(key.getByRole('status')).toHaveText(
    'Your browser did not allow copying. Show the API key first; then select the text and copy it by hand.',
  );
  await key.getByRole('button', { name: 'Show the API key' }).click();
  await expect(key.getByRole('status')).toHaveText(
    'Your browser did not allow copying. Select the text and copy it by hand.',
  );
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('API access: does not mention buttons that need JavaScript', async ({ page, customer }) => {
    await signIn(page, customer, '/api-access');
    const lines = page.getByRole('region', { name: 'Lines to start with' });
    await expect(lines.getByRole('paragraph').first()).toHaveText(
      'Put the key you sign in with where it is masked. Put your secret where they say so, and never into a page or an app.',
      { useInnerText: true },
    );
    await expect(page.locator('main').getByRole('button')).toHaveCount(0);
  });
});
