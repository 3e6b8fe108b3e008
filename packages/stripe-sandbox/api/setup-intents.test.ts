import type { Stripe } from 'stripe';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { KEYS, refusal, saving, sdk, startTestSandbox, type TestSandbox, tokenize } from '../testing.ts';

let sandbox: TestSandbox;
let customer: string;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
beforeEach(async () => {
  await sandbox.control('POST reset');
  customer = (await sandbox.stripe.customers.create()).id;
});
afterAll(() => sandbox.close());

async function eventTypes(): Promise<string[]> {
  const events = (await sandbox.control('GET events')).data as { event: { type: string } }[];
  return events.map(({ event }) => event.type);
}

async function methodOf(number: string): Promise<string> {
  const token = await tokenize(sandbox, { number });
  const card = { token: String(token.id) };
  return (await sandbox.stripe.paymentMethods.create({ type: 'card', card })).id;
}

describe('setupIntents.confirm', () => {
  it('confirms a setup intent that has or is given a payment method', async () => {
    const { setupIntents } = sandbox.stripe;
    const { confirm: _confirm, payment_method: _method, ...open } = saving(customer, '');
    const created = await setupIntents.create(open);
    expect(created.status).toBe('requires_payment_method');
    expect((await refusal(setupIntents.confirm(created.id))).param).toBe('payment_method');
    const confirmed = await setupIntents.confirm(created.id, { payment_method: 'pm_card_visa' });
    expect(confirmed).toMatchObject({ status: 'succeeded', last_setup_error: null });
    const prepared = await setupIntents.create({ ...open, payment_method: 'pm_card_mastercard' });
    expect(prepared.status).toBe('requires_confirmation');
    expect((await setupIntents.confirm(prepared.id)).status).toBe('succeeded');
    expect(await eventTypes()).toEqual([
      'payment_method.attached',
      'setup_intent.succeeded',
      'payment_method.attached',
      'setup_intent.succeeded',
    ]);
  });

  it('can follow a decline, but not a success', async () => {
    const { setupIntents } = sandbox.stripe;
    const error = await refusal(setupIntents.create(saving(customer, 'pm_card_chargeDeclined')));
    const id = error.setup_intent?.id ?? '';
    expect((await setupIntents.confirm(id, { payment_method: 'pm_card_visa' })).status).toBe('succeeded');
    expect(await refusal(setupIntents.confirm(id))).toMatchObject({
      statusCode: 400,
      code: 'setup_intent_unexpected_state',
      setup_intent: { id },
    });
    expect(await eventTypes()).toEqual([
      'setup_intent.setup_failed',
      'payment_method.attached',
      'setup_intent.succeeded',
    ]);
  });
});

describe('setupIntents.cancel', () => {
  it('cancels an open setup intent once', async () => {
    const { setupIntents } = sandbox.stripe;
    const { id } = await setupIntents.create({ customer });
    const canceled = await setupIntents.cancel(id, { cancellation_reason: 'abandoned' });
    expect(canceled).toMatchObject({ status: 'canceled', cancellation_reason: 'abandoned' });
    expect(await refusal(setupIntents.cancel(id))).toMatchObject({ code: 'setup_intent_unexpected_state' });
    expect(await eventTypes()).toEqual(['setup_intent.canceled']);
  });
});

describe('3-D Secure', () => {
  const start = async (number: string) => {
    const intent = await sandbox.stripe.setupIntents.create(saving(customer, await methodOf(number)));
    expect(intent).toMatchObject({ status: 'requires_action', next_action: { type: 'use_stripe_sdk' } });
    expect(intent.client_secret).toMatch(new RegExp(`^${intent.id}_secret_`));
    return intent;
  };
  const finish = async ({ id }: Stripe.SetupIntent, result?: string) => {
    await sandbox.control(`POST setup_intents/${id}/complete_action`, { result });
    return sandbox.stripe.setupIntents.retrieve(id, { expand: ['latest_attempt', 'payment_method'] });
  };

  it.each(['4000002500003155', '4000002760003184', '4000000000003220'])(
    '%s is saved after authentication',
    async (number) => {
      const started = await start(number);
      const intent = await finish(started);
      expect(intent).toMatchObject({
        status: 'succeeded',
        next_action: null,
        payment_method: { customer },
        latest_attempt: { id: started.latest_attempt, status: 'succeeded' },
      });
      expect(await eventTypes()).toEqual([
        'setup_intent.requires_action',
        'payment_method.attached',
        'setup_intent.succeeded',
      ]);
    },
  );

  it('4000008400001629 is declined after authentication', async () => {
    const intent = await finish(await start('4000008400001629'));
    expect(intent).toMatchObject({
      status: 'requires_payment_method',
      last_setup_error: { code: 'card_declined' },
    });
  });

  it('a failed authentication leaves the card unsaved, and a confirmation starts over', async () => {
    const started = await start('4000002500003155');
    const failed = await finish(started, 'rejected');
    expect(failed).toMatchObject({
      status: 'requires_payment_method',
      payment_method: null,
      last_setup_error: { code: 'setup_intent_authentication_failure' },
      latest_attempt: {
        status: 'failed',
        payment_method_details: { card: { three_d_secure: { result: 'failed', result_reason: 'rejected' } } },
      },
    });
    expect(await eventTypes()).toEqual(['setup_intent.requires_action', 'setup_intent.setup_failed']);
    const method = String(started.payment_method);
    const again = await sandbox.stripe.setupIntents.confirm(started.id, { payment_method: method });
    expect(again.status).toBe('requires_action');
    expect(again.latest_attempt).not.toBe(started.latest_attempt);
    expect((await sandbox.stripe.setupIntents.cancel(started.id)).status).toBe('canceled');
  });
});

describe('with the publishable key', () => {
  const ask = async (method: string, path: string, params: Record<string, string>) => {
    const fields = new URLSearchParams({ key: KEYS.publishableKey, ...params });
    const query = method === 'GET' ? `?${fields}` : '';
    const response = await fetch(`${sandbox.origin}/v1/setup_intents/${path}${query}`, {
      method,
      body: method === 'GET' ? null : fields,
    });
    return { status: response.status, body: await response.json() };
  };

  it('a setup intent is retrieved and confirmed with its client secret only', async () => {
    const { confirm: _confirm, ...open } = saving(customer, await methodOf('4000002500003155'));
    const { id, client_secret: secret } = await sandbox.stripe.setupIntents.create({
      ...open,
      metadata: { customer: '7' },
    });
    const params = { client_secret: String(secret) };
    const retrieved = await ask('GET', id, params);
    expect(retrieved.body).toMatchObject({ id, status: 'requires_confirmation', client_secret: secret });
    for (const name of ['customer', 'metadata', 'latest_attempt'])
      expect(retrieved.body).not.toHaveProperty(name);
    const confirmed = await ask('POST', `${id}/confirm`, params);
    expect(confirmed.body).toMatchObject({ id, status: 'requires_action' });
    expect(confirmed.body).not.toHaveProperty('metadata');
    for (const [secretOfAnother, code] of [
      [{}, 'parameter_missing'],
      [{ client_secret: `${id}_secret_other` }, 'setup_intent_invalid_parameter'],
    ] as const) {
      const refused = await ask('GET', id, secretOfAnother);
      expect([refused.status, refused.body.error]).toMatchObject([400, { code, param: 'client_secret' }]);
    }
    expect((await ask('POST', `${id}/cancel`, {})).body.error.code).toBe('secret_key_required');
  });

  it('a declined confirmation does not show what is for the server only', async () => {
    const { confirm: _confirm, ...open } = saving(customer, await methodOf('4000000000000002'));
    const { id, client_secret: secret } = await sandbox.stripe.setupIntents.create(open);
    const { status, body } = await ask('POST', `${id}/confirm`, { client_secret: String(secret) });
    expect([status, body.error]).toMatchObject([402, { code: 'card_declined', setup_intent: { id } }]);
    expect(body.error.setup_intent).not.toHaveProperty('customer');
  });
});

describe('expand', () => {
  it('expands nested fields and lists, and refuses other fields', async () => {
    const { stripe } = sandbox;
    const expand = ['payment_method.customer', 'customer'];
    const intent = await stripe.setupIntents.create({ ...saving(customer, 'pm_card_visa'), expand });
    expect(intent).toMatchObject({
      customer: { id: customer },
      payment_method: { object: 'payment_method', customer: { id: customer } },
    });
    const list = await stripe.customers.listPaymentMethods(customer, { expand: ['data.customer'] });
    expect(list.data[0]?.customer).toMatchObject({ id: customer });
    const calls = [
      stripe.customers.retrieve(customer, { expand: ['name'] }),
      stripe.setupIntents.create({ customer, expand: ['charges'] }),
      stripe.customers.listPaymentMethods(customer, { expand: ['customer'] }),
    ];
    for (const call of calls)
      expect((await refusal(call)).message).toContain('This property cannot be expanded');
    expect(await sandbox.control(`GET customers/${customer}/counts`)).toMatchObject({ setup_intents: 1 });
  });
});

describe('other SDK releases', () => {
  const raw = (body: string, version?: string) =>
    fetch(`${sandbox.origin}/v1/setup_intents`, {
      method: 'POST',
      headers: { Authorization: 'Bearer sk_test_sdk1234', ...(version && { 'Stripe-Version': version }) },
      body: new URLSearchParams(body),
    });

  it('booleans may be capitalized, as the SDK for Python sends them', async () => {
    const redirects =
      'automatic_payment_methods[enabled]=True&automatic_payment_methods[allow_redirects]=never';
    const body = `customer=${customer}&payment_method=pm_card_visa&confirm=True&${redirects}`;
    expect(await (await raw(body)).json()).toMatchObject({ status: 'succeeded' });
    expect((await raw(`customer=${customer}&confirm=yes`)).status).toBe(400);
  });

  it.each(['2022-11-15', '2024-06-20', '2025-03-31.basil', '2026-09-30.endive'])(
    'the API version %s is served and echoed',
    async (version) => {
      const response = await raw(`customer=${customer}`, version);
      expect([response.status, response.headers.get('stripe-version')]).toEqual([200, version]);
      const { automatic_payment_methods: automatic } = await response.json();
      expect(automatic === null).toBe(version < '2023-08-16');
    },
  );

  it.each(['2022-08-01', '2025-03-31', '2025-03-31.acacia', 'latest'])(
    'the API version %s is refused',
    async (version) => {
      expect((await raw(`customer=${customer}`, version)).status).toBe(400);
    },
  );

  it('idempotency keys have at most 255 characters', async () => {
    const { customers } = sdk(sandbox.port);
    expect((await customers.create({}, { idempotencyKey: 'k'.repeat(255) })).object).toBe('customer');
    const error = await refusal(customers.create({}, { idempotencyKey: 'k'.repeat(256) }));
    expect(error).toMatchObject({ statusCode: 400 });
  });

  it.each(['/v1/charges', '/v1/balance', '/v1/subscriptions/search', '/v2/core/events', '/'])(
    '%s is an unrecognized URL',
    async (path) => {
      const response = await fetch(`${sandbox.origin}${path}`);
      const { error } = await response.json();
      expect(response.status).toBe(404);
      expect(error).toMatchObject({ type: 'invalid_request_error' });
      expect(error.message).toContain(`Unrecognized request URL (GET: ${path})`);
    },
  );
});
