/** Attacks on accounts, quotas, and cards. */
import { newToken } from '#src/tokens.ts';
import { type Credentials, unknownCredentials } from '#tools/testing/factories.ts';
import { type Attack, cards, detail, flood, send, signIn, type Target, unless } from './target.ts';

const wrong = ({ apiKey }: Credentials) => ({ apiKey, apiSecret: newToken('secret', 'test') });
/** As a trusted proxy says. */
const from = (address: string) => ({ 'X-Forwarded-For': address });
const same = { 'Sec-Fetch-Site': 'same-origin' };
/** More requests than a minute's quota of several processes. */
const [batchSize, batchesMax] = [100, 60];

async function token({ own }: Target, number: string): Promise<string> {
  const body = new URLSearchParams({
    ...{ 'card[number]': number, 'card[exp_month]': '12', 'card[exp_year]': '2064', 'card[cvc]': '123' },
    key: own?.publishableKey ?? '',
  });
  const { text } = await send({ url: own?.sandboxUrl ?? '' }, '/v1/tokens', { method: 'POST', body });
  return JSON.parse(text).id;
}

const addCard = (target: Target, as: Credentials, cardToken: string) =>
  send(target, cards, {
    ...{ method: 'POST', as, headers: { 'Content-Type': 'application/json' } },
    body: JSON.stringify({ token: cardToken }),
  });

export const accountAttacks: Attack[] = [
  {
    title: 'Guessing the secret of a key is limited, and valid credentials still work',
    isOwnOnly: true,
    run: async (target) => {
      const customer = await target.customer();
      const headers = from('198.51.100.1');
      const counts = await flood(60, 4, () => send(target, detail, { as: wrong(customer), headers }));
      const right = await send(target, detail, { as: customer, headers });
      return unless((counts.get(429) ?? 0) >= 25 && right.status === 200, [[...counts], right.status]);
    },
  },
  {
    title: 'Guessing from the addresses of one IPv6 /64 is limited',
    isOwnOnly: true,
    run: async (target) => {
      const customer = await target.customer();
      const counts = await flood(60, 4, (index) =>
        send(target, detail, { as: wrong(customer), headers: from(`2001:db8::${index.toString(16)}`) }),
      );
      return unless((counts.get(429) ?? 0) >= 25, counts);
    },
  },
  {
    title: 'Guessing keys from one address is limited',
    isOwnOnly: true,
    run: async (target) => {
      const headers = from('198.51.100.2');
      const counts = await flood(400, 16, () => send(target, detail, { as: unknownCredentials(), headers }));
      return unless((counts.get(429) ?? 0) >= 60, counts);
    },
  },
  {
    title: 'Who knows only a key does not see the customer’s quota',
    run: async (target) => {
      const { status, headers } = await send(target, detail, { as: wrong(await target.customer()) });
      return unless(status === 403 && !headers.has('ratelimit'), [status, headers.get('ratelimit')]);
    },
  },
  {
    title: 'One quota holds for the key, sessions, pages, and downloads, in any spelling of the path',
    isOwnOnly: true,
    run: async (target) => {
      const customer = await target.customer();
      const { cookie } = await signIn(target, customer);
      const sendBatch = () => flood(batchSize, 16, () => send(target, detail, { as: customer }));
      let [batches, isUsedUp] = [0, false];
      // Each process has its own count.
      for (; batches < batchesMax && !isUsedUp; batches += 1)
        isUsedUp = (await sendBatch()).get(429) === batchSize;
      const paths = [detail, '/payout', '/payout/transactions.csv'];
      const byKey = [detail, '/Schedule/V1/customers/detail'].map((path) =>
        send(target, path, { as: customer }),
      );
      const bySession = paths.map((path) => send(target, path, { headers: { cookie } }));
      const statuses = (await Promise.all([...byKey, ...bySession])).map(({ status }) => status);
      return unless(isUsedUp && statuses.join() === '429,404,429,429,429', [batches, ...statuses]);
    },
  },
  {
    title: 'Signing in again and again is limited, and leaves at most 20 sessions',
    isOwnOnly: true,
    run: async (target) => {
      const customer = await target.customer();
      const cookies: string[] = [];
      const counts = await flood(100, 8, async () => {
        const response = await signIn(target, customer);
        if (response.status === 303) cookies.push(response.cookie);
        return response;
      });
      const requestsMax = 30 * (target.own?.processes ?? 1);
      const found = await Promise.all(cookies.map((cookie) => send(target, detail, { headers: { cookie } })));
      const sessions = found.filter(({ status }) => status === 200).length;
      const isLimited = cookies.length > 20 && cookies.length <= requestsMax && sessions === 20;
      return unless(isLimited, [...counts, ['sessions', sessions]]);
    },
  },
  {
    title: 'A burst of 120 stolen cards is stopped after 20 declines',
    isOwnOnly: true,
    run: async (target) => {
      const customer = await target.customer();
      const tokens = await Promise.all(Array.from({ length: 120 }, () => token(target, '4000000000000002')));
      const counts = await flood(120, 120, (index) => addCard(target, customer, tokens[index - 1] ?? ''));
      return unless((counts.get(200) ?? 0) <= 20 && (counts.get(429) ?? 0) >= 100, counts);
    },
  },
  {
    title: 'Adding and removing accepted cards is limited to 60 an hour',
    isOwnOnly: true,
    run: async (target) => {
      const customer = await target.customer();
      const counts = await flood(70, 1, async () => {
        const added = await addCard(target, customer, await token(target, '4242424242424242'));
        const { card } = JSON.parse(added.text);
        if (card) await send(target, `${cards}/${card.uuid}`, { method: 'DELETE', as: customer });
        return added;
      });
      return unless((counts.get(200) ?? 0) <= 60 && (counts.get(429) ?? 0) >= 10, counts);
    },
  },
  {
    title: 'Another customer’s card cannot be told from one that does not exist',
    isOwnOnly: true,
    run: async (target) => {
      const [mine, theirs] = [await target.customer(), await target.customer()];
      const { card } = JSON.parse((await addCard(target, theirs, 'tok_visa')).text);
      const remove = async (id: string) => {
        const { status, text } = await send(target, `${cards}/${id}`, { method: 'DELETE', as: mine });
        return `${status} ${text.replace(/"request_id":"[^"]*"/, '')}`;
      };
      const found = [await remove(card.uuid), await remove('0b0c5d0e-7f3b-4a52-9d0a-0d3f7f1f6a11')];
      return unless(found[0] === found[1] && found[0]?.startsWith('404') === true, found);
    },
  },
  {
    title: 'Other sites cannot use a session or the sign-in form, or read a response',
    run: async (target) => {
      const customer = await target.customer();
      const { cookie } = await signIn(target, customer);
      const foreign = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' };
      const json = { cookie, 'Content-Type': 'application/json' };
      const post = (headers: object) =>
        send(target, cards, { method: 'POST', headers: { ...json, ...headers }, body: '{}' });
      const responses = [
        await post(foreign),
        await post({}),
        await send(target, detail, { headers: { cookie, ...foreign } }),
        await signIn(target, customer, foreign),
      ];
      const found = responses.map(({ status }) => status);
      const isReadable = responses.some(({ headers }) => headers.has('access-control-allow-origin'));
      return unless(found.join() === '403,403,403,403' && !isReadable, found);
    },
  },
  {
    title: 'Forged and ended sessions are refused, and sign-in leads to no other site',
    run: async (target) => {
      const { cookie } = await signIn(target, await target.customer());
      const statusOf = async (value: string) =>
        (await send(target, detail, { headers: { cookie: value } })).status;
      const forged = await statusOf(`${cookie.slice(0, -4)}AAAA`);
      await send(target, '/sign-out', {
        method: 'POST',
        headers: { cookie, ...same, Origin: target.url },
        body: new URLSearchParams({ sessions: 'this' }),
      });
      const { text } = await send(target, '/sign-in?next=//evil.example');
      const found = [forged, await statusOf(cookie), text.includes('value="//evil')];
      return unless(found.join() === '401,401,false', found);
    },
  },
  {
    title: 'A card number in a request is refused',
    run: async (target) => {
      const body = JSON.stringify({ token: 'tok_x', card: { last4: '4242 4242 4242 4242' } });
      const headers = { 'Content-Type': 'application/json' };
      const { status, text } = await send(target, cards, {
        method: 'POST',
        as: await target.customer(),
        headers,
        body,
      });
      return unless(status === 400 && !text.includes('4242'), [status, text]);
    },
  },
];
