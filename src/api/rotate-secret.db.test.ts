import { beforeEach, describe, expect, it, vi } from 'vitest';
import { listSecrets } from '#src/customers/get-customer.ts';
import { listAudit, listSecurityEvents } from '#src/customers/list-audit.ts';
import { call, signIn, testService } from '#tools/testing/api.ts';
import { newCustomer, type TestCustomer } from '#tools/testing/factories.ts';
import { getPayout } from './operations/get-payout.ts';
import { services } from './services.ts';
import { readSession, rotateSessionSecret } from './session.ts';

const failuresMax = 3;
const service = await testService({ LIMIT_FAILED_AUTH_PER_KEY_AND_ADDRESS: String(failuresMax) });
const client = { address: '192.0.2.7', requestId: 'request-rotation' };
let customer: TestCustomer;
let cookie: string;

beforeEach(async () => {
  customer = await newCustomer(service.db);
  cookie = await signIn({ ...customer, ...client });
});

const secretsOf = ({ id }: TestCustomer) => listSecrets(service.web, id);
const newestOf = async (of: TestCustomer) => (await secretsOf(of)).at(-1)?.id ?? 0;

async function tryToRotate(currentSecret: string, newestSecretId?: number) {
  const session = await readSession(services(), cookie);
  if (!session) throw new Error('The session has ended.');
  const newest = newestSecretId ?? (await newestOf(customer));
  return rotateSessionSecret(services(), session, { currentSecret, newestSecretId: newest, ...client });
}

async function rotate(currentSecret: string) {
  const rotated = await tryToRotate(currentSecret);
  if (rotated.outcome !== 'rotated') throw new Error(rotated.outcome);
  return rotated;
}
const isUsed = async (secretId: number) =>
  (await secretsOf(customer)).find(({ id }) => id === secretId)?.lastUsedAt instanceof Date;
const statusWith = async (apiSecret: string) => (await call(getPayout, { ...customer, apiSecret })).status;

describe('rotateSessionSecret', () => {
  it('issues a secret, keeps the current one for 24 hours, and audits neither', async () => {
    const { apiSecret, oldSecretExpiresAt } = await rotate(customer.apiSecret);
    expect(apiSecret).toMatch(/^secret_test_/);
    expect(Math.round((oldSecretExpiresAt.getTime() - Date.now()) / 3_600_000)).toBe(24);
    expect([await statusWith(apiSecret), await statusWith(customer.apiSecret)]).toEqual([200, 200]);
    const [entry] = await listAudit(service.db, { username: customer.username, limit: 1 });
    expect(entry).toMatchObject({
      ...{
        action: 'secret.rotated',
        actor: `customer:${customer.username}`,
        channel: 'dashboard',
        address: client.address,
      },
      ...{ requestId: client.requestId, before: { secret_id: customer.secretId } },
    });
    expect(Object.keys(entry?.after as object).sort()).toEqual(['old_expires_at', 'secret_id']);
  });

  it('issues a live secret in live mode', async () => {
    const session = await readSession(services(), cookie);
    if (!session) throw new Error('The session has ended.');
    const live = { ...services(), settings: { ...services().settings, mode: 'live' as const } };
    const input = { currentSecret: customer.apiSecret, newestSecretId: customer.secretId, ...client };
    expect(await rotateSessionSecret(live, session, input)).toMatchObject({
      apiSecret: expect.stringMatching(/^secret_live_/),
    });
  });

  it('keeps the secret that confirms, revokes the other one, and keeps the session', async () => {
    const { apiSecret: second } = await rotate(customer.apiSecret);
    const { apiSecret: third } = await rotate(second);
    expect(await Promise.all([customer.apiSecret, second, third].map(statusWith))).toEqual([403, 200, 200]);
    expect(await readSession(services(), cookie)).not.toBeNull();
  });

  it('lets the previous secret replace a newest one that was not used, and keeps its earlier end', async () => {
    const { apiSecret: lost } = await rotate(customer.apiSecret);
    await service.owner.execute(
      "UPDATE secrets SET expires_at = now() + interval '1 hour' WHERE expires_at > now()",
    );
    const [previous] = await secretsOf(customer);
    const { apiSecret, oldSecretExpiresAt } = await rotate(customer.apiSecret);
    expect(oldSecretExpiresAt).toEqual(previous?.expiresAt);
    expect(await Promise.all([customer.apiSecret, lost, apiSecret].map(statusWith))).toEqual([200, 403, 200]);
  });

  it('refuses the previous secret once the newest one is used', async () => {
    const { apiSecret: second } = await rotate(customer.apiSecret);
    const newest = await newestOf(customer);
    expect(await statusWith(second)).toBe(200);
    await expect.poll(() => isUsed(newest)).toBe(true);
    expect(await tryToRotate(customer.apiSecret)).toEqual({ outcome: 'newest_in_use' });
    expect(await Promise.all([customer.apiSecret, second].map(statusWith))).toEqual([200, 200]);
    await rotate(second);
  });

  it('rotates once for a form that is sent twice, also at the same time', async () => {
    const newest = await newestOf(customer);
    const outcomes = await Promise.all([1, 2, 3].map(() => tryToRotate(customer.apiSecret, newest)));
    expect(outcomes.map(({ outcome }) => outcome).toSorted()).toEqual([
      'newest_changed',
      'newest_changed',
      'rotated',
    ]);
    expect(await tryToRotate(customer.apiSecret, newest)).toEqual({ outcome: 'newest_changed' });
    expect(await secretsOf(customer)).toHaveLength(2);
  });

  it('refuses a wrong secret and that of another customer, counted as at sign-in', async () => {
    const other = await newCustomer(service.db);
    for (const wrong of ['secret_test_wrong', other.apiSecret, `${customer.apiSecret} `])
      await expect(rotate(wrong)).rejects.toMatchObject({ code: 'secret_invalid' });
    await expect(rotate('secret_test_wrong')).rejects.toMatchObject({ code: 'too_many_failures' });
    const events = async () =>
      (await listSecurityEvents(service.db, { username: customer.username, sinceSeconds: 60, limit: 9 })).map(
        ({ event }) => event,
      );
    const refusals = async () => (await events()).filter((event) => event === 'authentication.refused');
    // They are written in the background, in any order.
    await expect.poll(events).toContain('lockout.started');
    await expect.poll(refusals).toHaveLength(failuresMax);
    await rotate(customer.apiSecret);
  });

  it('logs security events of rotations and of refusals', async () => {
    const { log } = services();
    const [info, warn] = [vi.spyOn(log, 'info'), vi.spyOn(log, 'warn')];
    const loggedBy = (spy: typeof info | typeof warn) =>
      spy.mock.calls.flatMap(([event, message]) => (String(message) === 'security' ? [event] : []));
    const newest = await newestOf(customer);
    await tryToRotate(customer.apiSecret, newest);
    await tryToRotate(customer.apiSecret, newest);
    const keyPrefix = customer.apiKey.slice(0, 13);
    const known = { customerId: customer.id, keyPrefix, channel: 'dashboard', ...client };
    expect(loggedBy(info)).toEqual([{ ...known, event: 'secret.rotated' }]);
    expect(loggedBy(warn)).toEqual([{ ...known, event: 'rotation.refused', reason: 'newest_changed' }]);
    vi.restoreAllMocks();
  });

  it('refuses more than 5 secrets in 24 hours', async () => {
    // The first one was issued with the account.
    for (let count = 2; count <= 5; count++) await rotate(customer.apiSecret);
    expect(await tryToRotate(customer.apiSecret)).toEqual({ outcome: 'too_many' });
    await service.owner.execute("UPDATE secrets SET created_at = now() - interval '25 hours'");
    await rotate(customer.apiSecret);
  });

  it('refuses an account that is not active', async () => {
    const session = await readSession(services(), cookie);
    await service.owner.execute("UPDATE customers SET status = 'Suspended'");
    if (!session) throw new Error('The session has ended.');
    const input = { currentSecret: customer.apiSecret, newestSecretId: customer.secretId, ...client };
    await expect(rotateSessionSecret(services(), session, input)).rejects.toMatchObject({
      code: 'account_disabled',
    });
  });
});
