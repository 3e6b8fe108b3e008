import { addCard, getCustomer, getPayout, removeCard } from './orval/client.ts';
import * as schemas from './orval/zod.ts';

const { API_KEY = '', API_SECRET = '' } = process.env;
const options = { headers: { 'X-AUTH-APIKEY': API_KEY, 'X-AUTH-APISECRET': API_SECRET } };
const account = schemas.GetCustomerResponse.parse((await getCustomer(options)).data);
const balance = schemas.GetPayoutResponse.parse((await getPayout(options)).data);
const body = schemas.AddCardBody.parse({
  token: 'tok_visa',
  card: { brand: 'visa', funding: 'credit', addressCountry: 'US', addressZip: '94103', expMonth: 9 },
});
const added = schemas.AddCardResponse.parse((await addCard(body, options)).data);
if (!added.status) throw new Error(added.message);
// A card can be sent back.
schemas.AddCardBody.parse({ token: 'tok_visa', card: added.card });
const removed = schemas.RemoveCardResponse.parse((await removeCard(added.card.uuid, options)).data);
const refused = await removeCard(added.card.uuid, options);
console.log(
  JSON.stringify([
    ...[account.customer.username, balance.payout.amount_cents, added.card.last4],
    ...[removed.status, 'error' in refused.data ? refused.data.error.type : null],
  ]),
);
