/** Faults of a cluster under load. Progress and results are in the table that the last hook prints. */
import { randomUUID } from 'node:crypto';
import { globSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { postSignInForm } from '#e2e/support/http.ts';
import { sandboxControl } from '#packages/stripe-sandbox/control-client.ts';
import { newToken } from '#src/tokens.ts';
import { sandboxKeys } from '../api.ts';
import { credentialHeaders, newCustomer, type TestCustomer } from '../factories.ts';
import { type Cluster, type Member, startCluster } from './cluster.ts';
import { runToEnd } from './instance.ts';
import {
  faultTable,
  kinds,
  type Load,
  longestStallMs,
  lostOf,
  type Round,
  recordFaultTable,
  startLoad,
} from './load.ts';
import { run } from './patroni.ts';
import { contractedRelease, expandedRelease } from './releases.ts';

const minuteMs = 60_000;
const poll = { timeout: 2 * minuteMs, interval: 50 };
/** Each caller of the service has at most one request under way. */
const callers = 4;
/** A request waits for the database for 4.5 seconds at most. */
const slowestMaxMs = 5_000;

let cluster: Cluster;
const rounds: Round[] = [];
let load: Load | undefined;

beforeAll(async () => {
  cluster = await startCluster();
}, 15 * minuteMs);
afterEach(async () => {
  await load?.stop();
  // Puts back what a test that failed left behind.
  for (const member of cluster.members) {
    member.database.kill('SIGCONT');
    if (member.program().hasExited()) await member.start();
  }
});
afterAll(async () => {
  await cluster?.close();
  const table = faultTable(rounds);
  process.stdout.write(`${table}\n`);
  if (process.env.RECORD) await recordFaultTable(table);
}, 2 * minuteMs);

const customer = () => newCustomer(cluster.operator.db);
const tokenUrl = () => `${cluster.sandbox.origin}/v1/tokens`;

async function cardToken(): Promise<string> {
  const response = await fetch(tokenUrl(), {
    method: 'POST',
    headers: { Authorization: `Bearer ${sandboxKeys.publishableKey}` },
    body: new URLSearchParams({
      'card[number]': '4242424242424242',
      'card[exp_month]': '12',
      'card[exp_year]': '2064',
      'card[cvc]': '123',
    }),
  });
  return ((await response.json()) as { id: string }).id;
}

/** Starts the load, and waits until every kind of request has succeeded. */
async function underLoad(): Promise<Load> {
  const customers: [TestCustomer, TestCustomer, TestCustomer] = [
    await customer(),
    await customer(),
    await customer(),
  ];
  const { url, operator } = cluster;
  const started = startLoad({ url, customers, operator: operator.db, newToken: cardToken });
  load = started;
  await expectSuccess(started);
  return started;
}

/** Waits until each kind of request has succeeded that began from now on. @returns how long it took, in milliseconds */
async function expectSuccess(started: Load): Promise<number> {
  const sinceMs = performance.now();
  await expect.poll(() => started.succeededSince(sinceMs), poll).toBeDefined();
  return (started.succeededSince(sinceMs) ?? 0) - sinceMs;
}

/** Stops the load, and compares what was acknowledged with the database. */
async function finish(fault: string, done: Load, recoveryMs?: number): Promise<Round> {
  await done.stop();
  const { added, removed, entries } = done.acknowledged;
  const cards = await run(
    cluster.ownerUrl,
    `select uuid, state from cards where state in ('active', 'removed', 'removing')`,
  );
  const states = new Map(cards.map(({ uuid, state }) => [uuid, state]));
  const stored = await run(cluster.ownerUrl, 'select reference from ledger_entries');
  const references = new Set(stored.map(({ reference }) => reference));
  const missing = [
    ...added.filter((uuid) => !states.has(uuid)),
    ...removed.filter((uuid) => states.get(uuid) !== 'removed'),
    ...entries.filter((reference) => !references.has(reference)),
  ];
  const responses = done.sent.filter(({ kind }) => kind !== 'ledger');
  const round = {
    fault,
    requests: done.sent.length,
    lost: lostOf(done).length,
    acknowledged: added.length + removed.length + entries.length,
    missing: missing.length,
    stallMs: longestStallMs(done),
    slowestMs: Math.max(...responses.map(({ startedMs, endedMs }) => endedMs - startedMs)),
    recoveryMs,
  };
  rounds.push(round);
  expect(missing).toEqual([]);
  expect(round.slowestMs).toBeLessThan(slowestMaxMs);
  return round;
}

const readiness = ({ url }: Member) =>
  fetch(`${url}/api/health/ready`).then(
    ({ status }) => status,
    () => 0,
  );

describe('rolling restart', () => {
  test.for([1, 2])('round %i: no request is lost', { timeout: 5 * minuteMs }, async () => {
    const started = await underLoad();
    for (const member of cluster.members) {
      expect(await member.stop()).toBe(0);
      await member.start();
      await cluster.untilAllServe();
      await expectSuccess(started);
    }
    await finish('rolling restart', started);
    expect(lostOf(started)).toEqual([]);
  });
});

describe('killed primary', () => {
  test.for([1, 2])(
    'round %i: no acknowledged write is lost, and the service recovers in 5 seconds',
    { timeout: 5 * minuteMs },
    async () => {
      const { pair } = cluster;
      await expect.poll(pair.isInSync, poll).toBe(true);
      const started = await underLoad();
      const primary = await pair.primary();
      const standby = pair.nodes.find((node) => node !== primary);
      if (!primary || !standby) throw new Error('There is no pair.');
      await primary.kill();
      const isPrimary = () =>
        run(pair.urlOf(standby), 'select pg_is_in_recovery() as is').then(([row]) => !row?.is);
      await expect.poll(() => isPrimary().catch(() => false), poll).toBe(true);
      const recoveryMs = await expectSuccess(started);
      expect(recoveryMs).toBeLessThan(5_000);
      primary.start();
      await expect.poll(pair.isInSync, poll).toBe(true);
      await cluster.untilAllServe();
      await expectSuccess(started);
      await finish('killed primary', started, recoveryMs);
    },
  );
});

describe('killed instance', () => {
  test.for([0, 1] as const)('member %i: the other goes on', { timeout: 5 * minuteMs }, async (index) => {
    const member = cluster.members[index];
    const started = await underLoad();
    await member.kill();
    const recoveryMs = await expectSuccess(started);
    await expect.poll(() => cluster.stateOf(member), poll).not.toBe('UP');
    await member.start();
    await cluster.untilAllServe();
    await expectSuccess(started);
    const { lost } = await finish('killed instance', started, recoveryMs);
    expect(lost).toBeLessThanOrEqual(callers);
  });
});

describe('killed worker', () => {
  test.for([0, 1] as const)('member %i: it is replaced', { timeout: 5 * minuteMs }, async (index) => {
    const member = cluster.members[index];
    const started = await underLoad();
    const [worker = 0] = member.workers();
    process.kill(worker, 'SIGKILL');
    const recoveryMs = await expectSuccess(started);
    await expect.poll(() => member.workers().filter((id) => id !== worker), poll).toHaveLength(2);
    await expectSuccess(started);
    const { lost } = await finish('killed worker', started, recoveryMs);
    expect(lost).toBeLessThanOrEqual(callers);
  });
});

describe('network cut between an instance and its database', () => {
  test('the other instance serves, and the instance is back when the network is', {
    timeout: 5 * minuteMs,
  }, async () => {
    const [, member] = cluster.members;
    const started = await underLoad();
    member.database.kill('SIGSTOP');
    await expect.poll(() => readiness(member), poll).toBe(503);
    await expect.poll(() => cluster.stateOf(member), poll).not.toBe('UP');
    const recoveryMs = await expectSuccess(started);
    const servedByOtherMs = performance.now();
    await expectSuccess(started);
    expect(lostOf(started).filter(({ startedMs }) => startedMs > servedByOtherMs)).toEqual([]);
    member.database.kill('SIGCONT');
    await expect.poll(() => readiness(member), poll).toBe(200);
    await cluster.untilAllServe();
    await expectSuccess(started);
    await finish('network cut', started, recoveryMs);
    expect(lostOf(started).filter(({ status }) => status !== 503)).toEqual([]);
  });
});

/** Signs in with the form of one instance at another. @returns the session's cookie */
async function signIn(
  credentials: TestCustomer,
  { form, target }: { form: Member; target: Member },
): Promise<string> {
  const sent = { headers: { Origin: cluster.url }, formUrl: form.url };
  const { response, cookie } = await postSignInForm(target.url, credentials, sent);
  expect([response.status, response.headers.get('location')]).toEqual([303, '/']);
  return cookie;
}

describe('instances that were built separately', () => {
  const orders = [
    ['one', 'two'],
    ['two', 'one'],
  ];
  test.for(orders)(
    'a form, session, and page of %s are served by %s',
    { timeout: minuteMs },
    async ([from]) => {
      const { members } = cluster;
      const [form, target] = members[0].name === from ? members : ([members[1], members[0]] as const);
      const someone = await customer();
      const Cookie = await signIn(someone, { form, target });
      for (const { url } of members) {
        const page = await fetch(`${url}/cards`, { headers: { Cookie }, redirect: 'manual' });
        expect(page.status).toBe(200);
      }
      const page = await (await fetch(`${form.url}/cards`, { headers: { Cookie } })).text();
      const assets = [...new Set([...page.matchAll(/\/_next\/static\/[^"'\\ ]+/g)].map(([path]) => path))];
      expect(assets.length).toBeGreaterThan(3);
      for (const path of assets) expect([path, (await fetch(target.url + path)).status]).toEqual([path, 200]);
      const headers = { Cookie, Origin: cluster.url, 'Content-Type': 'application/json' };
      const body = JSON.stringify({ token: await cardToken(), card: {} });
      const added = await fetch(`${target.url}/api/schedule/v1/payment/cards`, {
        method: 'POST',
        headers,
        body,
      });
      expect([added.status, ((await added.json()) as { status: boolean }).status]).toEqual([200, true]);
      const out = await fetch(`${form.url}/sign-out`, {
        method: 'POST',
        headers: { Cookie, Origin: cluster.url },
        body: new URLSearchParams({ sessions: 'current' }),
        redirect: 'manual',
      });
      expect(out.status).toBe(303);
      const after = await fetch(`${target.url}/cards`, { headers: { Cookie }, redirect: 'manual' });
      expect(after.headers.get('location')).toContain('/sign-in');
    },
  );
});

describe('limits across instances', () => {
  const detail = (url: string, someone: TestCustomer) =>
    fetch(`${url}/api/schedule/v1/customers/detail`, { headers: credentialHeaders(someone) }).then(
      ({ status }) => status,
    );

  test('failed authentications are counted together', { timeout: minuteMs }, async () => {
    const someone = await customer();
    const wrong = { ...someone, apiSecret: newToken('secret', 'test') };
    const statuses: number[] = [];
    // LIMIT_FAILED_AUTH_PER_KEY_AND_ADDRESS is 30.
    for (let index = 0; index < 40; index++)
      statuses.push(await detail(cluster.members[index % 2 === 0 ? 0 : 1].url, wrong));
    expect(statuses).toEqual([...Array(30).fill(403), ...Array(10).fill(429)]);
    for (const { url } of cluster.members) expect(await detail(url, wrong)).toBe(429);
  });

  test('new cards are counted together', { timeout: 3 * minuteMs }, async () => {
    const restart = async (limit: string) => {
      for (const member of cluster.members) {
        await member.stop();
        await member.start({ env: { LIMIT_NEW_CARDS_PER_HOUR: limit } });
      }
      await cluster.untilAllServe();
    };
    await restart('6');
    const someone = await customer();
    const statuses: number[] = [];
    for (let index = 0; index < 8; index++)
      statuses.push((await addCard(cluster.members[index % 2 === 0 ? 0 : 1].url, someone)).status);
    expect(statuses).toEqual([...Array(6).fill(200), 429, 429]);
    await restart('1000000');
  });
});

type Added = { status: number; body: { card?: { uuid: string } | null } };

async function addCard(url: string, someone: TestCustomer, key?: string, token?: string): Promise<Added> {
  const response = await fetch(`${url}/api/schedule/v1/payment/cards`, {
    method: 'POST',
    headers: {
      ...credentialHeaders(someone),
      'Content-Type': 'application/json',
      ...(key && { 'Idempotency-Key': key }),
    },
    body: JSON.stringify({ token: token ?? (await cardToken()), card: {} }),
  });
  return { status: response.status, body: (await response.json()) as Added['body'] };
}

describe('clock step of an instance', () => {
  const [library] = globSync('/usr/lib/*/faketime/libfaketime.so.1');

  test.for(['+2h', '-2h'])(
    '%s: sessions, idempotency keys, and leases hold',
    { timeout: 5 * minuteMs },
    async (step) => {
      const [steady, stepped] = cluster.members;
      const file = `${stepped.logFile}.clock`;
      await writeFile(file, '+0s');
      await stepped.stop();
      const env = {
        LD_PRELOAD: library ?? '',
        FAKETIME_TIMESTAMP_FILE: file,
        FAKETIME_CACHE_DURATION: '1',
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
      };
      await stepped.start({ env });
      await cluster.untilAllServe();
      const started = await underLoad();
      const someone = await customer();
      const before = await Promise.all([
        signIn(someone, { form: steady, target: steady }),
        signIn(someone, { form: stepped, target: stepped }),
      ]);
      await writeFile(file, step);
      const offsetMs = async () => {
        const { headers } = await fetch(`${stepped.url}/api/health/live`);
        return Date.parse(headers.get('date') ?? '') - Date.now();
      };
      await expect.poll(async () => Math.abs(await offsetMs()), poll).toBeGreaterThan(3_600_000);
      const recoveryMs = await expectSuccess(started);
      const after = await signIn(someone, { form: stepped, target: stepped });
      for (const Cookie of [...before, after]) {
        for (const { url } of cluster.members)
          expect((await fetch(`${url}/cards`, { headers: { Cookie }, redirect: 'manual' })).status).toBe(200);
      }
      for (const [first, second] of [
        [steady, stepped],
        [stepped, steady],
      ] as const) {
        const [someoneElse, key, token] = [await customer(), randomUUID(), await cardToken()];
        const added = await addCard(first.url, someoneElse, key, token);
        expect(added.status).toBe(200);
        expect(await addCard(second.url, someoneElse, key, token)).toEqual(added);
      }
      const [leaser, token] = [await customer(), await cardToken()];
      const control = sandboxControl(cluster.sandbox.origin, sandboxKeys.secretKey);
      await started.stop();
      await control('POST faults', { operation: 'setupIntents.create', kind: 'slow', delayMs: 6_000 });
      const slow = addCard(steady.url, leaser, undefined, token);
      const isLeased = () =>
        run(cluster.ownerUrl, `select from cards where customer_id = ${leaser.id} and lease_until > now()`);
      await expect.poll(isLeased, poll).toHaveLength(1);
      expect((await addCard(stepped.url, leaser, undefined, token)).status).toBe(409);
      expect((await slow).status).toBe(200);
      await stepped.stop();
      await stepped.start({ env: { LD_PRELOAD: '' } });
      await cluster.untilAllServe();
      await finish('clock step of 2 hours', started, recoveryMs);
      expect(lostOf(started)).toEqual([]);
    },
  );
});

describe('updates to the next two releases, which expand and contract the schema', () => {
  /** Waits until both instances have served each kind of request from now on. */
  async function expectBothToServe(started: Load): Promise<void> {
    const sinceMs = performance.now();
    const served = () =>
      started.sent
        .filter(({ status, startedMs, kind }) => status === 200 && startedMs >= sinceMs && kind !== 'ledger')
        .map(({ kind, instance }) => `${kind} by ${instance}`);
    const both = kinds
      .filter((kind) => kind !== 'ledger')
      .flatMap((kind) => [`${kind} by one`, `${kind} by two`]);
    await expect.poll(() => [...new Set(served())].toSorted(), poll).toEqual(both.toSorted());
  }

  /**
   * Removes a card with an idempotency key at one instance, and sends the same request again to the other, as after a crash
   * before the response was stored: the second knows from the card that the first has removed it.
   */
  async function expectRemovalToBeKnown(first: Member, second: Member): Promise<void> {
    const someone = await customer();
    const added = await addCard(first.url, someone);
    const url = `/api/schedule/v1/payment/cards/${added.body.card?.uuid}`;
    const headers = { ...credentialHeaders(someone), 'Idempotency-Key': randomUUID() };
    for (const member of [first, second]) {
      const { status } = await fetch(member.url + url, { method: 'DELETE', headers });
      expect([member.name, status]).toEqual([member.name, 200]);
      await run(cluster.ownerUrl, `delete from idempotency_keys where customer_id = ${someone.id}`);
    }
  }

  async function update(started: Load, folder: string, whileBothServe = async () => {}): Promise<void> {
    const [first, second] = cluster.members;
    await runToEnd(['src/server/migrate.ts'], folder, { DATABASE_OWNER_URL: cluster.ownerUrl });
    await expectBothToServe(started);
    expect(await first.stop()).toBe(0);
    await first.start({ folder });
    await cluster.untilAllServe();
    await expectBothToServe(started);
    await whileBothServe();
    expect(await second.stop()).toBe(0);
    await second.start({ folder });
    await cluster.untilAllServe();
    await expectBothToServe(started);
  }

  test('neighboring releases serve at once, no request is lost, and the release before them is refused', {
    timeout: 10 * minuteMs,
  }, async () => {
    const expanded = await expandedRelease();
    const contracted = await contractedRelease(expanded);
    const [first, second] = cluster.members;
    const started = await underLoad();
    await update(started, expanded, async () => {
      await expectRemovalToBeKnown(first, second);
      await expectRemovalToBeKnown(second, first);
    });
    await finish('update that expands the schema', started);
    expect(lostOf(started)).toEqual([]);

    const again = await underLoad();
    await update(again, contracted);
    await finish('update that contracts the schema', again);
    expect(lostOf(again)).toEqual([]);

    await second.stop();
    await expect(second.start({ folder: cluster.builds[1] })).rejects.toThrow('Use a release that has it');
    await second.start({ folder: contracted });
  });
});

test('background jobs ran once in the cluster where once is meant', async () => {
  const runs = await run(
    cluster.ownerUrl,
    'select finished_at is not null as "hasFinished" from reconciliations',
  );
  expect(runs.map(({ hasFinished }) => hasFinished)).toEqual([true]);
  const twice = await run(
    cluster.ownerUrl,
    `select action, after ->> 'uuid' from audit_entries where action in ('card.added', 'card.removed')
      group by 1, 2, coalesce(after ->> 'uuid', before ->> 'uuid', id::text) having count(*) > 1`,
  );
  expect(twice).toEqual([]);
});
