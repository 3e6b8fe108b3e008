import { checkDelivery, ScheduleError } from '#packages/client/index.ts';
import { checkPoint, priceSteps } from '#src/cities/delivery-price.ts';
import { parseRing } from '#src/geo/position.ts';
import { expect, newEntry, test } from '../support/fixtures.ts';

test('client: getCustomer, getPayout, addCard (added and declined), removeCard', async ({
  clientOf,
  customer,
  db,
}) => {
  const client = clientOf(customer);
  await newEntry(db, customer, { amountCents: 1234n });
  expect(await client.getPayout()).toMatchObject({ amount: 12.34, amount_cents: 1234, currency: 'USD' });
  const added = await client.addCard({ token: 'tok_visa', card: { addressZip: '94103' } });
  if (!added.added) throw new Error(added.message);
  expect(added.card).toMatchObject({ brand: 'visa', last4: '4242', addressZip: '94103' });
  expect((await client.getCustomer()).cards).toEqual([added.card]);
  const refused = await client.addCard({ token: 'tok_visa_chargeDeclined', card: {} });
  expect(refused).toMatchObject({ added: false, code: 'card_declined' });
  await client.removeCard(added.card.id);
  expect((await client.getCustomer()).cards).toEqual([]);
});

test("client: errors have the service's status, message, and request id", async ({ clientOf, customer }) => {
  const client = clientOf(customer);
  const errorOf = (call: Promise<unknown>) => call.catch((error: unknown) => error);
  const unknown = await errorOf(client.removeCard(999_999_999, { requestId: 'removal-of-nothing' }));
  expect(unknown).toBeInstanceOf(ScheduleError);
  expect(unknown).toMatchObject({
    status: 404,
    message: 'Payment method could not be found.',
    requestId: 'removal-of-nothing',
  });
  expect(await errorOf(client.addCard({ token: 'nothing', card: { expMonth: '13' } }))).toMatchObject({
    status: 400,
    details: [{ param: 'card.expMonth' }, { param: 'token' }],
  });
  const stranger = clientOf({ ...customer, apiSecret: 'secret_test_wrong' });
  expect(await errorOf(stranger.getCustomer())).toMatchObject({
    status: 403,
    message: 'Invalid credentials.',
  });
});

test('client: addCard twice with one idempotency key adds one card', async ({ clientOf, customer }) => {
  const client = clientOf(customer);
  const request = { token: 'tok_visa', card: {} };
  const both = await Promise.all([1, 2].map(() => client.addCard(request, { idempotencyKey: 'order 7' })));
  expect(both[1]).toEqual(both[0]);
  expect((await client.getCustomer()).cards).toHaveLength(1);
});

test('client: checkDelivery agrees with the dashboard', async ({ clientOf, customer }) => {
  const { city } = await clientOf(customer).getCustomer();
  const [latitude, longitude] = [Number(city.latitude), Number(city.longitude)];
  const steps = { basePriceCents: Math.round(city.base_price * 100), deliveryPrices: city.delivery_prices };
  const ring = parseRing(city.polygon_points);
  const area = { ring, center: [longitude, latitude] as [number, number], priceSteps: priceSteps(steps) };
  const outcomes = new Set<boolean>();
  const offsets = Array.from({ length: 21 }, (_, index) => (index - 10) / 25);
  for (const point of offsets.flatMap((up) =>
    offsets.map((right) => ({ latitude: latitude + up, longitude: longitude + right })),
  )) {
    const { delivers, isInServiceArea, ...check } = checkDelivery(city, point);
    const { isInside, distanceMiles, priceCents } = checkPoint([point.longitude, point.latitude], area);
    const close = { distanceMiles: expect.closeTo(distanceMiles, 9), priceCents };
    expect([point, isInServiceArea, check]).toEqual([point, isInside, close]);
    expect(delivers).toBe(isInside && priceCents !== null);
    outcomes.add(isInServiceArea);
  }
  expect(outcomes.size).toBe(2);
});
