import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';
import Stripe from 'stripe';
import { KEYS, openForm, test } from './test-sandbox.ts';

test.beforeEach(async ({ page, sandbox }) => openForm(page, sandbox.pageOrigin));

const sdkOf = (origin: string) => {
  const { hostname: host, port } = new URL(origin);
  return new Stripe(KEYS.secretKey, { host, port: Number(port), protocol: 'http', telemetry: false });
};

/** A setup intent that requires an action. */
async function startIntent(origin: string, card = 'pm_card_authenticationRequired') {
  const stripe = sdkOf(origin);
  const customer = await stripe.customers.create();
  return stripe.setupIntents.create({
    customer: customer.id,
    payment_method: card,
    confirm: true,
    automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
  });
}

type Result = { setupIntent?: { status: string }; error?: { code?: string; message: string } };
type StripeJs = (key: string) => { handleNextAction(options: object): Promise<Result> };

/** Calls `handleNextAction` in the page. @returns a function that waits for its result */
async function handleNextAction(page: Page, clientSecret: string | null): Promise<() => Promise<Result>> {
  const result = page.evaluate(
    ([key = '', secret]) =>
      (window as unknown as { Stripe: StripeJs })
        .Stripe(key)
        .handleNextAction({ clientSecret: secret })
        .catch(({ message }: Error) => ({ error: { message } })),
    [KEYS.publishableKey, clientSecret ?? ''],
  );
  return () => result;
}

const frameOf = (page: Page) => page.frameLocator('iframe[title="Secure 3D Secure authentication frame"]');
const press = (page: Page, name: string) => frameOf(page).getByRole('button', { name, exact: true }).click();

test('handleNextAction resolves with the setup intent after Complete', async ({ page, sandbox }) => {
  const intent = await startIntent(sandbox.origin);
  const result = await handleNextAction(page, intent.client_secret);
  await expect(page.getByRole('dialog', { name: 'Card confirmation' })).toBeVisible();
  await press(page, 'Complete');
  expect((await result()).setupIntent).toMatchObject({ id: intent.id, status: 'succeeded' });
  await expect(page.getByRole('dialog')).toHaveCount(0);
  const saved = await sdkOf(sandbox.origin).setupIntents.retrieve(intent.id, { expand: ['payment_method'] });
  expect(saved.payment_method).toMatchObject({ customer: intent.customer });
});

test('handleNextAction returns the decline of a bank that authenticated the card', async ({
  page,
  sandbox,
}) => {
  const { client_secret } = await startIntent(sandbox.origin, 'pm_card_threeDSecureRequiredChargeDeclined');
  const result = await handleNextAction(page, client_secret);
  await press(page, 'Complete');
  expect((await result()).error).toMatchObject({
    code: 'card_declined',
    setup_intent: { status: 'requires_payment_method' },
  });
});

for (const [ending, reason, end] of [
  ['Fail', 'rejected', (page: Page) => press(page, 'Fail')],
  ['Cancel', 'canceled', (page: Page) => press(page, 'Cancel')],
  ['Close', 'abandoned', (page: Page) => press(page, 'Close')],
  [
    'Escape',
    'abandoned',
    async (page: Page) => {
      await expect(frameOf(page).getByRole('heading', { name: 'Confirm your card' })).toBeFocused();
      await page.keyboard.press('Escape');
    },
  ],
] as const) {
  test(`handleNextAction returns an authentication failure after ${ending}`, async ({ page, sandbox }) => {
    const { id, client_secret } = await startIntent(sandbox.origin);
    const result = await handleNextAction(page, client_secret);
    await end(page);
    expect((await result()).error).toMatchObject({
      code: 'setup_intent_authentication_failure',
      setup_intent: { status: 'requires_payment_method' },
    });
    const { latest_attempt: attempt } = await sdkOf(sandbox.origin).setupIntents.retrieve(id, {
      expand: ['latest_attempt'],
    });
    expect(attempt).toMatchObject({
      payment_method_details: { card: { three_d_secure: { result: 'failed', result_reason: reason } } },
    });
  });
}

test('handleNextAction throws unless the setup intent requires an action', async ({ page, sandbox }) => {
  const intent = await startIntent(sandbox.origin, 'pm_card_visa');
  const result = await handleNextAction(page, intent.client_secret);
  expect((await result()).error?.message).toContain('not in the requires_action state');
  const unknown = await handleNextAction(page, `${intent.id}_secret_other`);
  expect((await unknown()).error).toMatchObject({ code: 'setup_intent_invalid_parameter' });
});

test('the challenge has the keyboard focus and no accessibility violations', async ({ page, sandbox }) => {
  const { client_secret } = await startIntent(sandbox.origin);
  const result = await handleNextAction(page, client_secret);
  await expect(frameOf(page).getByRole('heading', { name: 'Confirm your card' })).toBeFocused();
  const { violations } = await new AxeBuilder({ page })
    .include('dialog')
    .withTags(['wcag2a', 'wcag2aa', 'wcag21aa'])
    .analyze();
  expect(violations.map(({ id }) => id)).toEqual([]);
  await page.keyboard.press('Tab');
  await expect(frameOf(page).getByRole('button', { name: 'Complete' })).toBeFocused();
  await page.keyboard.press('Enter');
  expect((await result()).setupIntent?.status).toBe('succeeded');
});
