import { NotFoundError, ScheduleClient } from '@scheduling-service/client';

/** @param {Record<string, string | undefined>} environment */
export async function callAll({ BASE_URL: baseUrl, API_KEY: apiKey, API_SECRET: apiSecret }) {
  const client = new ScheduleClient({ baseUrl, apiKey, apiSecret });
  const { username } = await client.getCustomer();
  const { amount_cents } = await client.getPayout();
  const added = await client.addCard({ token: 'tok_visa' });
  if (!added.added) throw new Error(added.message);
  await client.removeCard(added.card.uuid);
  const refused = await client.removeCard(added.card.uuid).catch((error) => error);
  return [username, amount_cents, added.card.last4, refused instanceof NotFoundError];
}
