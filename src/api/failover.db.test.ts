import { setImmediate } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPool, type Pool } from '#db/client.ts';
import { getCustomer } from '#src/api/operations/get-customer.ts';
import { handleApiRequest } from '#src/api/router.ts';
import { services } from '#src/api/services.ts';
import { add, remove, tokenOf } from '#src/cards/tests/support.ts';
import { newToken } from '#src/tokens.ts';
import { call, testService } from '#tools/testing/api.ts';
import { newCustomer, type TestCustomer } from '#tools/testing/factories.ts';
import { startProxy } from '#tools/testing/proxy.ts';
import { type DatabasePair, startDatabasePair } from '#tools/testing/standby-and-pooler.ts';

const service = await testService({
  LIMIT_REQUESTS_PER_MINUTE: '1000000',
  LIMIT_NEW_CARDS_PER_HOUR: '1000000',
});

let pair: DatabasePair;
let operator: Pool;
beforeAll(async () => {
  pair = await startDatabasePair();
  operator = openPool(pair.primary.operatorUrl, { connectionsMax: 1 });
});
afterAll(async () => {
  await service.restart();
  await operator.close();
  await pair.close();
});

const readiness = async () =>
  (await handleApiRequest(new Request('http://127.0.0.1/api/health/ready'))).status;

/** Adds, removes, and reads until told to stop. */
function sendRequests(customers: TestCustomer[]) {
  const outcome = { statuses: new Set<number>(), cards: [] as string[], stop: async () => {} };
  let isStopped = false;
  const loops = customers.map(async (customer) => {
    while (!isStopped) {
      const added = await add(customer, await tokenOf(service, '4242424242424242'));
      outcome.statuses.add(added.status);
      if (added.json.card) {
        outcome.cards.push(added.json.card.uuid);
        outcome.statuses.add((await remove(customer, added.json.card.uuid)).status);
      }
      outcome.statuses.add((await call(getCustomer, customer)).status);
      // A request that is refused at once waits for nothing.
      await setImmediate();
    }
  });
  outcome.stop = async () => {
    isStopped = true;
    await Promise.all(loops);
  };
  return outcome;
}

/** Reads until told to stop. */
function sendReads(customer: TestCustomer) {
  const statuses = new Set<number>();
  let isStopped = false;
  const loop = (async () => {
    while (!isStopped) {
      statuses.add((await call(getCustomer, customer)).status);
      await setImmediate();
    }
  })();
  return {
    stop: async () => {
      isStopped = true;
      await loop;
      return statuses;
    },
  };
}

async function expectEverythingWorks(customer: TestCustomer): Promise<void> {
  expect((await call(getCustomer, customer)).status).toBe(200);
  expect((await add(customer, 'tok_visa')).status).toBe(200);
  const wrong = { ...customer, apiSecret: newToken('secret', 'test') };
  expect((await call(getCustomer, wrong)).status).toBe(403);
}

/** Through a proxy that leads to the primary, as a name or an address of the cluster does. */
async function startThroughProxy() {
  const target = new URL(pair.primary.webUrl);
  const proxy = await startProxy('database', target);
  await service.restart({ DATABASE_URL: proxy.url.href });
  return { lead: (to: string) => (target.port = new URL(to).port), proxy };
}

test('a standby behind the same name is refused: 503, and no old data is served', async () => {
  const customer = await newCustomer(operator.db);
  const { lead, proxy } = await startThroughProxy();
  await expectEverythingWorks(customer);
  lead(pair.standby.webUrl);
  proxy.cut();
  await expect.poll(readiness).toBe(503);
  expect((await call(getCustomer, customer)).status).toBe(503);
  lead(pair.primary.webUrl);
  await expect.poll(readiness).toBe(200);
  await expectEverythingWorks(customer);
  await service.restart();
  await proxy.close();
});

test('a primary that is read-only serves reads, and writes again without a restart of the service', async () => {
  const customer = await newCustomer(operator.db);
  await service.restart({ DATABASE_URL: pair.primary.webUrl });
  await expectEverythingWorks(customer);
  await pair.onPrimary('alter role scheduling_web set default_transaction_read_only = on');
  await pair.onPrimary(
    "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'scheduling_web'",
  );
  await expect.poll(async () => (await add(customer, 'tok_mastercard')).status).toBe(503);
  await expect.poll(async () => (await call(getCustomer, customer)).status).toBe(200);
  await expect.poll(readiness).toBe(503);
  // Connections that are open stay read-only.
  await pair.onPrimary('alter role scheduling_web reset default_transaction_read_only');
  await expect.poll(async () => (await add(customer, 'tok_mastercard')).status).toBe(200);
  await expect.poll(readiness).toBe(200);
});

test('without its synchronous standby, the primary serves reads, and writes that wait take no more connections', async () => {
  const customers = await Promise.all(Array.from({ length: 12 }, () => newCustomer(operator.db)));
  const [customer] = customers as [TestCustomer];
  await service.restart({ DATABASE_URL: pair.primary.webUrl });
  await expectEverythingWorks(customer);
  const waitFor = async (standby: string) => {
    await pair.onPrimary(`alter system set synchronous_standby_names = ${standby}`);
    await pair.onPrimary('select pg_reload_conf()');
  };
  await waitFor('gone');
  const reads = sendReads(customer);
  const writes = customers.map(async (own) => {
    const statuses: number[] = [];
    while (statuses.length < 3) statuses.push((await add(own, 'tok_mastercard')).status);
    return statuses;
  });
  expect(new Set((await Promise.all(writes)).flat())).toEqual(new Set([503]));
  expect(await reads.stop()).toEqual(new Set([200]));
  const [row] = await operator.db.execute(
    sql`select count(*)::int as connections from pg_stat_activity where usename = 'scheduling_web'`,
  );
  expect(row?.connections).toBeLessThan(20);
  await waitFor('standby');
  await expect.poll(async () => (await add(customer, 'tok_amex')).status).toBe(200);
});

test('failover between two hosts: only 200 and 503, no acknowledged card is lost, and everything works again', async () => {
  const customers = await Promise.all(Array.from({ length: 4 }, () => newCustomer(operator.db)));
  const fresh = await newCustomer(operator.db);
  const hosts = [pair.standby, pair.primary].map(({ webUrl }) => new URL(webUrl).host).join(',');
  const { host } = new URL(pair.primary.webUrl);
  const several = pair.primary.webUrl.replace(host, hosts);
  await service.restart({ DATABASE_URL: `${several}?target_session_attrs=read-write` });
  await expect.poll(readiness).toBe(200);
  const sent = sendRequests(customers);
  await expect.poll(() => sent.cards.length).toBeGreaterThan(20);
  await pair.crashPrimary();
  await expect.poll(readiness).toBe(503);
  await pair.promoteStandby();
  await expect.poll(readiness).toBe(200);
  const before = sent.cards.length;
  await expect.poll(() => sent.cards.length).toBeGreaterThan(before + 5);
  await sent.stop();
  expect([...sent.statuses].toSorted()).toEqual([200, 503]);
  const stored = new Set(
    (await services().db.query.cards.findMany({ columns: { uuid: true } })).map(({ uuid }) => uuid),
  );
  expect(sent.cards.filter((uuid) => !stored.has(uuid))).toEqual([]);
  await expectEverythingWorks(fresh);
});
