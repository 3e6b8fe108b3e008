import { client } from './hey-api/client.gen.ts';
import { addCard, getCustomer, getPayout, removeCard } from './hey-api/index.ts';

const { BASE_URL = '', API_KEY = '', API_SECRET = '' } = process.env;
client.setConfig({
  baseUrl: BASE_URL,
  auth: ({ name }) => (name === 'X-AUTH-APIKEY' ? API_KEY : API_SECRET),
});
const { data: account } = await getCustomer();
const { data: balance } = await getPayout();
const { data: added } = await addCard({
  body: { token: 'tok_visa', card: { addressCountry: 'US', addressZip: '94103' } },
});
if (!added?.status) throw new Error('Not added.');
const path = { uuid: added.card.uuid };
const { data: removed } = await removeCard({ path });
const { error: refused } = await removeCard({ path });
console.log(
  JSON.stringify([
    ...[account?.customer.username, balance?.payout.amount_cents, added.card.last4],
    ...[removed?.status, refused?.error.type],
  ]),
);
