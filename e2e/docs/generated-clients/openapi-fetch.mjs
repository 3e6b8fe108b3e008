import createClient from 'openapi-fetch';

const { BASE_URL, API_KEY = '', API_SECRET = '' } = process.env;
/** @type {ReturnType<typeof createClient<import('./openapi-typescript.ts').paths>>} */
const client = createClient({
  baseUrl: BASE_URL,
  headers: { 'X-AUTH-APIKEY': API_KEY, 'X-AUTH-APISECRET': API_SECRET },
});
const { data: account } = await client.GET('/schedule/v1/customers/detail');
const { data: balance } = await client.GET('/api/schedule/v1/customers/payout');
const { data: added, error } = await client.POST('/api/schedule/v1/payment/cards', {
  body: { token: 'tok_visa', card: { addressCountry: 'US', addressZip: '94103' } },
});
if (!added?.status) throw new Error(error?.error.message ?? 'declined');
const { data: removed } = await client.DELETE('/api/schedule/v1/payment/cards/{uuid}', {
  params: { path: { uuid: added.card.uuid } },
});
const { error: refused } = await client.DELETE('/api/schedule/v1/payment/cards/{uuid}', {
  params: { path: { uuid: added.card.uuid } },
});
console.log(
  JSON.stringify([
    ...[account?.customer.username, balance?.payout.amount_cents, added.card.last4],
    ...[removed?.status, refused?.error.type],
  ]),
);
