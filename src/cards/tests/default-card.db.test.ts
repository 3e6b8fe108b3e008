import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { cards } from '#db/schema.ts';
import { testService } from '#tools/testing/api.ts';
import { newCustomer, setCardExpiry } from '#tools/testing/factories.ts';
import { add, remove, shownCards } from './support.ts';

const service = await testService();

test('addCard, getCustomer: the newest unexpired card is the default', async () => {
  const customer = await newCustomer(service.db);
  const defaults = async () =>
    (await shownCards(customer)).flatMap(({ brand, isDefault }) => (isDefault ? [brand] : []));
  const first = await add(customer, 'tok_visa');
  expect(first.json).not.toHaveProperty('replaced');
  expect(first.json.card?.isDefault).toBe(true);
  const second = await add(customer, 'tok_mastercard');
  expect(second.json.card?.isDefault).toBe(true);
  expect(await defaults()).toEqual(['mastercard']);
  expect((await add(customer, 'tok_visa')).json.card?.isDefault).toBe(false);

  await service.owner
    .update(cards)
    .set({ expYear: 2020 })
    .where(eq(cards.uuid, second.json.card?.uuid ?? ''));
  expect(await defaults()).toEqual(['visa']);
  expect((await add(customer, 'tok_mastercard')).json.card?.isDefault).toBe(false);
  await setCardExpiry(service.owner, customer, 0);
  expect(await defaults()).toEqual(['mastercard']);
  await remove(customer, second.json.card?.uuid ?? '');
  expect(await defaults()).toEqual(['visa']);
  await setCardExpiry(service.owner, customer, -1);
  expect(await defaults()).toEqual([]);
});
