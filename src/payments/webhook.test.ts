import Stripe from 'stripe';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createEventVerifier } from './stripe.ts';

const stripe = new Stripe('sk_test_signs');
const secret = 'whsec_of_the_test';
const verify = createEventVerifier(stripe, secret);
const now = 1_795_000_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: now * 1000 });
});
afterEach(() => {
  vi.useRealTimers();
});

const notSnapshotEvent = 'The signature is valid, but the body is not a snapshot event.';

const event = (type: string, id?: string) =>
  JSON.stringify({ id: 'evt_1', object: 'event', type, data: { object: { id } } });
const sign = (payload: string, options: { secret?: string; timestamp?: number } = {}) =>
  stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp: now, ...options });
const read = (payload: string) => verify(payload, sign(payload));

describe('stripeWebhook: signature', () => {
  const payload = event('payment_method.detached', 'pm_1');

  it.each([
    ['is from now', 0, true],
    ['is 300 seconds old', 300, true],
    ['is 301 seconds old', 301, false],
  ])('that %s', (_, age, isValid) => {
    expect(verify(payload, sign(payload, { timestamp: now - age })) !== null).toBe(isValid);
  });

  it('is required, of this body, and with our signing secret', () => {
    expect(verify(payload, null)).toBeNull();
    expect(verify(payload, '')).toBeNull();
    expect(verify(payload, 't=1,v1=00')).toBeNull();
    expect(verify(`${payload} `, sign(payload))).toBeNull();
    expect(verify(payload, sign(payload, { secret: 'whsec_another' }))).toBeNull();
    expect(createEventVerifier(stripe, undefined)(payload, sign(payload))).toBeNull();
    expect(createEventVerifier(stripe, '')(payload, sign(payload))).toBeNull();
  });

  it('is valid with either secret while they are rotated, and with no other', () => {
    const next = 'whsec_next';
    for (const either of [
      createEventVerifier(stripe, secret, next),
      createEventVerifier(stripe, next, secret),
    ]) {
      expect(either(payload, sign(payload))).toMatchObject({ id: 'evt_1' });
      expect(either(payload, sign(payload, { secret: next }))).toMatchObject({ id: 'evt_1' });
      expect(either(payload, sign(payload, { secret: 'whsec_another' }))).toBeNull();
    }
    const onlyNext = createEventVerifier(stripe, undefined, next);
    expect(onlyNext(payload, sign(payload, { secret: next }))).toMatchObject({ id: 'evt_1' });
    expect(onlyNext(payload, sign(payload))).toBeNull();
  });
});

describe('stripeWebhook: event', () => {
  it.each([
    'payment_method.detached',
    'customer.deleted',
    'setup_intent.succeeded',
    'invoice.paid',
    'cash_balance.customer.created',
  ])('%s', (type) => {
    expect(read(event(type, 'obj_1'))).toEqual({ id: 'evt_1', type, objectId: 'obj_1' });
  });

  it('has no subject when its object has no ID', () => {
    expect(read(event('payment_method.detached'))).toMatchObject({ objectId: null });
  });

  it.each(['{}', '{"data":null}', '{"data":{}}', '{"data":{"object":null}}'])(
    'has no subject without an object: %s',
    (rest) => {
      const sent = JSON.stringify({ id: 'evt_1', type: 'customer.deleted', ...JSON.parse(rest) });
      expect(read(sent)).toEqual({ id: 'evt_1', type: 'customer.deleted', objectId: null });
    },
  );

  it.each([
    ['not JSON', '{"id":'],
    ['null', 'null'],
    ['a number', '5'],
    ['a list', '[]'],
    ['a thin event', '{"id":"evt_1","object":"v2.core.event","type":"v2.core.account.updated"}'],
    ['without an ID', '{"type":"customer.deleted"}'],
    ['without a type', '{"id":"evt_1"}'],
    ['with another ID than a text', '{"id":{"a":1},"type":"customer.deleted"}'],
    ['with a NUL character in its ID', '{"id":"evt_\\u0000","type":"customer.deleted"}'],
    ['with a NUL character in its type', '{"id":"evt_1","type":"customer.\\u0000"}'],
    ['with an object without a valid ID', event('customer.deleted', 'cus_\0')],
  ])('is refused when it is signed but no snapshot event: %s', (_, payload) => {
    const error = expect.objectContaining({ code: 'invalid_input', message: notSnapshotEvent });
    expect(() => read(payload)).toThrow(error);
    expect(verify(payload, sign(payload, { secret: 'whsec_another' }))).toBeNull();
  });
});
