import { expect, test } from 'vitest';
import { testDatabase, waitingForLock } from '#tools/testing/database.ts';
import { newCity, newCustomer } from '#tools/testing/factories.ts';
import { createCustomer } from './create-customer.ts';
import { eraseCustomer } from './erase-customer.ts';
import { listCustomers, showCustomer } from './get-customer.ts';
import { listAudit, listSecurityEvents } from './list-audit.ts';
import { revokeSecret } from './revoke-secret.ts';
import { rotateSecret } from './rotate-secret.ts';
import { setStatus, updateCustomer } from './update-customer.ts';

const { db, sql } = await testDatabase();
const ctx = { db, actor: 'operator:tester' };
const hour = 3_600_000;
const city = await newCity(db);

const secretsOf = async (username: string) => (await showCustomer(db, username)).secrets;
const rotate = (username: string, overlapSeconds = 24 * 3_600) =>
  rotateSecret(ctx, { username, mode: 'test', overlapSeconds });
const hoursUntil = (at: Date | null | undefined) => Math.round(((at?.getTime() ?? 0) - Date.now()) / hour);

const person = {
  email: 'a@b.example',
  firstName: 'A',
  lastName: 'B',
  name: 'C',
  countryCode: '1',
  phone: '555',
};

const unknown = { code: 'not_found', message: 'There is no customer with this username.' };
const nothingToRevoke = { code: 'refused', message: 'There is no active secret to revoke.' };

test('createCustomer: makes a key and a secret of the mode, and audits neither', async () => {
  const created = await createCustomer(ctx, {
    ...person,
    username: 'live',
    citySlug: city.slug,
    mode: 'live',
  });
  expect(created).toMatchObject({
    apiKey: expect.stringMatching(/^key_live_/),
    apiSecret: expect.stringMatching(/^secret_live_/),
  });
  const [audited] = await listAudit(db, { username: 'live', limit: 1 });
  expect(audited).toMatchObject({ action: 'customer.created', after: { username: 'live', city: city.slug } });
  expect(JSON.stringify(audited)).not.toMatch(/key_live_|secret_live_|updated_at/);
  const invalid = createCustomer(ctx, {
    ...person,
    username: 'x',
    email: 'no',
    citySlug: city.slug,
    mode: 'test',
  });
  await expect(invalid).rejects.toMatchObject({ code: 'invalid_input', details: [{ param: 'email' }] });
});

test('createCustomer: refuses a username that is taken, and a city that does not exist', async () => {
  const { username, id, apiKey } = await newCustomer(db, { city });
  const create = (changes: { username: string; citySlug: string }) =>
    createCustomer(ctx, { ...person, ...changes, mode: 'test' });
  await expect(create({ username, citySlug: city.slug })).rejects.toMatchObject({
    ...{ code: 'already_exists', message: expect.stringContaining('already exists') },
  });
  expect((await showCustomer(db, username)).customer).toMatchObject({ id, apiKey });
  await expect(create({ username: 'nowhere', citySlug: 'nowhere' })).rejects.toMatchObject({
    code: 'not_found',
  });
  await expect(showCustomer(db, 'nowhere')).rejects.toMatchObject(unknown);
});

test.each([
  ['Inactive', 'customer.deactivated'],
  ['Suspended', 'customer.suspended'],
  ['Active', 'customer.activated'],
] as const)('setStatus: %s is audited as %s, once', async (status, action) => {
  const { username } = await newCustomer(db, { city });
  const before = status === 'Active' ? 'Suspended' : 'Active';
  await sql`update customers set status = ${before} where username = ${username}`;
  expect(await setStatus(ctx, { username, status })).toEqual({ hasChanged: true });
  expect(await setStatus(ctx, { username, status })).toEqual({ hasChanged: false });
  expect(await listAudit(db, { username, limit: 2 })).toMatchObject([
    { actor: ctx.actor, action, before: { status: before }, after: { status } },
    { action: 'customer.created' },
  ]);
  await expect(setStatus(ctx, { username: 'nobody', status })).rejects.toMatchObject(unknown);
});

test('updateCustomer: changes only what differs, and refuses an invalid field', async () => {
  const { username } = await newCustomer(db, { city });
  const audits = async () => (await listAudit(db, { username, limit: 9 })).length;
  const before = await audits();
  expect(await updateCustomer(ctx, { username, firstName: 'Ada' })).toEqual({ hasChanged: false });
  await expect(updateCustomer(ctx, { username, phone: 'x' })).rejects.toMatchObject({
    code: 'invalid_input',
  });
  expect(await audits()).toBe(before);
  expect(await updateCustomer(ctx, { username, firstName: 'Grace' })).toEqual({ hasChanged: true });
  const [audited] = await listAudit(db, { username, limit: 1 });
  expect(audited).toMatchObject({
    actor: ctx.actor,
    action: 'customer.updated',
    before: { first_name: 'Ada' },
    after: { first_name: 'Grace' },
  });
  expect(Object.keys(audited?.after ?? {})).toEqual(['first_name']);
  const other = await newCity(db);
  expect(await updateCustomer(ctx, { username, citySlug: other.slug })).toEqual({ hasChanged: true });
  expect((await showCustomer(db, username)).city).toMatchObject({ slug: other.slug });
});

test('rotateSecret: keeps the previous secret for the overlap period, and revokes older ones', async () => {
  const { username, secretId } = await newCustomer(db, { city });
  const { apiSecret, oldSecretExpiresAt } = await rotate(username);
  expect(apiSecret).toMatch(/^secret_test_/);
  expect(hoursUntil(oldSecretExpiresAt)).toBe(24);
  const [old, current, ...rest] = await secretsOf(username);
  expect([old, current, rest]).toMatchObject([
    { id: secretId, expiresAt: oldSecretExpiresAt },
    { expiresAt: null },
    [],
  ]);
  await rotate(username, 7_200);
  expect(
    (await secretsOf(username)).map(({ id, expiresAt }) => [id, expiresAt && hoursUntil(expiresAt)]),
  ).toEqual([
    [current?.id, 2],
    [expect.any(Number), null],
  ]);
  const [audited] = await listAudit(db, { username, limit: 1 });
  expect(audited).toMatchObject({
    actor: ctx.actor,
    action: 'secret.rotated',
    before: { secret_id: current?.id },
    after: { secret_id: expect.any(Number), old_expires_at: expect.any(String) },
  });
});

test('rotateSecret: keeps the secret in use when the one after it never reached anybody', async () => {
  const { username, secretId } = await newCustomer(db, { city });
  await sql`update secrets set last_used_at = now() where id = ${secretId}`;
  const { oldSecretExpiresAt } = await rotate(username);
  expect(await rotate(username)).toMatchObject({ oldSecretExpiresAt });
  expect((await secretsOf(username)).map(({ id, expiresAt }) => [id, expiresAt])).toEqual([
    [secretId, oldSecretExpiresAt],
    [expect.any(Number), null],
  ]);
});

test('rotateSecret: the overlap ends no later than the previous secret, and is 0 to 90 days', async () => {
  const { username, secretId } = await newCustomer(db, { city });
  await sql`UPDATE secrets SET expires_at = now() + interval '1 hour' WHERE id = ${secretId}`;
  expect(hoursUntil((await rotate(username)).oldSecretExpiresAt)).toBe(1);
  const days = 24 * 3_600;
  expect(hoursUntil((await rotate(username, 90 * days)).oldSecretExpiresAt)).toBe(90 * 24);
  expect((await rotate(username, 0)).oldSecretExpiresAt).toBeNull();
  expect(await secretsOf(username)).toHaveLength(1);
  for (const seconds of [-1, 90 * days + 1, Number.NaN]) {
    await expect(rotate(username, seconds)).rejects.toMatchObject({
      code: 'invalid_input',
      message: 'The overlap must be from 0 to 90 days.',
      details: [{ param: 'overlap', message: 'Must be from 0 to 90d.' }],
    });
  }
});

test('rotateSecret, updateCustomer: refuse an erased customer', async () => {
  const erased = await eraseCustomer(ctx, (await newCustomer(db, { city })).username);
  await expect(rotate(erased.username)).rejects.toMatchObject({
    ...{ code: 'refused', message: 'This customer is erased.' },
  });
  await expect(updateCustomer(ctx, { username: erased.username, name: 'X' })).rejects.toMatchObject(unknown);
  expect(await secretsOf(erased.username)).toEqual([]);
});

test('revokeSecret: revokes all secrets of one customer, or only the previous one', async () => {
  const [{ username }, other] = [await newCustomer(db, { city }), await newCustomer(db, { city })];
  const revokeOld = () => revokeSecret(ctx, { username, isOldOnly: true });
  await expect(revokeOld()).rejects.toMatchObject(nothingToRevoke);
  await rotate(username);
  expect(await revokeOld()).toEqual({ revoked: 1 });
  expect(await secretsOf(username)).toMatchObject([{ expiresAt: null }]);
  await rotate(username);
  expect(await revokeSecret(ctx, { username })).toEqual({ revoked: 2 });
  expect([await secretsOf(username), (await secretsOf(other.username)).length]).toEqual([[], 1]);
  const actions = async () => (await listAudit(db, { username, limit: 1 }))[0];
  const audited = await actions();
  expect(audited).toMatchObject({
    action: 'secret.revoked',
    after: { secret_ids: [expect.any(Number), expect.any(Number)] },
  });
  await expect(revokeSecret(ctx, { username })).rejects.toMatchObject(nothingToRevoke);
  expect(await actions(), 'nothing was revoked, so nothing is audited').toEqual(audited);
});

/** Revokes secrets while another operator rotates them. */
async function revokedDuringRotation(id: number, revoke: () => ReturnType<typeof revokeSecret>) {
  const holder = await sql.reserve();
  await holder`begin`;
  await holder`select rotate_secret(${id}, sha256('new'), interval '1 day', now())`;
  const revoking = Promise.allSettled([revoke()]);
  await expect.poll(() => waitingForLock(sql)).toHaveLength(1);
  await holder`commit`;
  holder.release();
  return (await revoking)[0];
}

test('revokeSecret: revokes the secret of a rotation that was under way, too', async () => {
  const { username, id } = await newCustomer(db, { city });
  const revoking = await revokedDuringRotation(id, () => revokeSecret(ctx, { username }));
  expect(revoking).toMatchObject({ value: { revoked: 2 } });
  expect(await secretsOf(username)).toEqual([]);
});

test('revokeSecret: only the previous one is not one that a rotation under way makes previous', async () => {
  const { username, id } = await newCustomer(db, { city });
  await rotate(username);
  const [, inUse] = await secretsOf(username);
  await sql`update secrets set last_used_at = now() where id = ${inUse?.id ?? 0}`;
  const revoking = await revokedDuringRotation(id, () => revokeSecret(ctx, { username, isOldOnly: true }));
  // The rotation has revoked it.
  expect(revoking).toMatchObject({ reason: nothingToRevoke });
  expect(await secretsOf(username)).toMatchObject([{ id: inUse?.id }, { expiresAt: null }]);
});

test('showCustomer, revokeSecret: know secrets that are valid now only', async () => {
  const { username, secretId } = await newCustomer(db, { city });
  await sql`UPDATE secrets SET expires_at = now() - interval '1 second' WHERE id = ${secretId}`;
  expect(await secretsOf(username)).toEqual([]);
  await expect(revokeSecret(ctx, { username })).rejects.toMatchObject(nothingToRevoke);
});

test('listSecurityEvents: lists those of all customers, or of one', async () => {
  const [one, other] = [await newCustomer(db, { city }), await newCustomer(db, { city })];
  const usernames = async (username?: string) =>
    (await listSecurityEvents(db, { username, sinceSeconds: 3_600, limit: 1_000 })).map(
      (event) => event.username,
    );
  expect(await usernames()).toEqual(expect.arrayContaining([one.username, other.username]));
  expect([...new Set(await usernames(one.username))]).toEqual([one.username]);
});

test('listCustomers, listAudit: page without gaps, customers by name and changes from the latest', async () => {
  for (const _ of [1, 2, 3]) await newCustomer(db, { city });
  const [{ count } = { count: 0 }] = await sql<
    { count: number }[]
  >`SELECT count(*)::int AS count FROM customers`;
  const names: string[] = [];
  for (let page = await listCustomers(db, { limit: 2 }); page.length > 0; ) {
    names.push(...page.map(({ customer }) => customer.username));
    page = await listCustomers(db, { limit: 2, after: names.at(-1) ?? '' });
  }
  expect([names.length, names]).toEqual([count, names.toSorted()]);

  const [latest, second, ...rest] = await listAudit(db, { limit: 9 });
  expect((latest?.id ?? 0) > (second?.id ?? 0)).toBe(true);
  expect(await listAudit(db, { limit: 7, after: second?.id })).toEqual(rest);
  const username = names.at(-1) ?? '';
  const own = await listAudit(db, { username, limit: 9 });
  expect([...new Set(own.map(({ customerId }) => customerId))]).toEqual([
    (await showCustomer(db, username)).customer.id,
  ]);
});
