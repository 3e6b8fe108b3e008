import { beforeEach, describe, expect, it, type Mock, vi } from 'vitest';
import { add } from '#src/cards/tests/support.ts';
import { newToken } from '#src/tokens.ts';
import { call, signIn, testService } from '#tools/testing/api.ts';
import { waitingForLock } from '#tools/testing/database.ts';
import { newCustomer, type TestCustomer } from '#tools/testing/factories.ts';
import { getCustomer } from './operations/get-customer.ts';
import { loggedPath } from './request-log.ts';
import { services } from './services.ts';
import { clientOf, closeSession, endSession, isCrossSite, openSession } from './session.ts';

const service = await testService({
  LIMIT_FAILED_AUTH_PER_KEY_AND_ADDRESS: '3',
  LIMIT_FAILED_AUTH_PER_ADDRESS: '5',
});
const { sql } = service;
let customer: TestCustomer;
let wrong: TestCustomer;
let [info, warn]: Mock[] = [];

beforeEach(async () => {
  customer = await newCustomer(service.db);
  wrong = { ...customer, apiSecret: newToken('secret', 'test') };
  [info, warn] = [vi.spyOn(services().log, 'info'), vi.spyOn(services().log, 'warn')] as unknown as Mock[];
});

const from = (address: string, requestId = 'request-0001') => ({
  headers: { 'x-forwarded-for': address, 'x-request-id': requestId },
});
const logged = (log: Mock | undefined) =>
  log?.mock.calls.filter(([, message]) => message === 'security').map(([event]) => event);
const stored = async () => {
  await services().securityEvents.flush();
  return sql`select event, reason, address, channel, key_prefix, request_id from security_events
    where customer_id = ${customer.id} order by id`;
};
const rowCount = async () => {
  await services().securityEvents.flush();
  return (
    await sql`select (select count(*) from security_events) + (select count(*) from audit_entries) as n`
  )[0]?.n;
};
const auditOf = (action: string) =>
  sql`select action, actor, channel, address, request_id from audit
    where customer_id = ${customer.id} and action like ${action} order by id`;

describe('security events', () => {
  it('are stored when the service stops, including those whose statement is in progress', async () => {
    const count = async () =>
      (await sql`select from security_events where customer_id = ${customer.id}`).length;
    const atEnd = await service.sql.begin(async (locked) => {
      await locked`lock table security_events in share mode`;
      const event = { event: 'session.opened', address: '10.1.0.9', customerId: customer.id } as const;
      services().securityEvents.record({ ...event, channel: 'dashboard', requestId: 'request-0001' }, true);
      await expect.poll(() => waitingForLock(sql)).not.toEqual([]);
      return { counted: services().securityEvents.flush().then(count) };
    });
    expect(await atEnd.counted).toBe(1);
  });

  it('record a wrong secret in the log and the database, and the lockout once', async () => {
    for (let n = 0; n < 5; n += 1) await call(getCustomer, wrong, from('10.1.0.1'));
    const known = {
      channel: 'api',
      address: '10.1.0.1',
      keyPrefix: customer.apiKey.slice(0, 13),
      requestId: 'request-0001',
      customerId: customer.id,
    };
    const refused = { ...known, event: 'authentication.refused' };
    const lockout = { ...known, event: 'lockout.started', reason: 'too_many_failures' };
    expect(logged(warn)).toEqual([
      { ...refused, reason: 'secret_invalid' },
      { ...refused, reason: 'secret_invalid' },
      lockout,
      { ...refused, reason: 'secret_invalid' },
      { ...refused, reason: 'too_many_failures' },
      { ...refused, reason: 'too_many_failures' },
    ]);
    expect((await stored()).map(({ event, reason }) => [event, reason])).toEqual([
      ['authentication.refused', 'secret_invalid'],
      ['authentication.refused', 'secret_invalid'],
      ['lockout.started', 'too_many_failures'],
      ['authentication.refused', 'secret_invalid'],
    ]);
    expect((await stored())[0]).toMatchObject({
      address: '10.1.0.1',
      channel: 'api',
      key_prefix: customer.apiKey.slice(0, 13),
      request_id: 'request-0001',
    });
  });

  it('write no row for unknown keys, blocked clients, missing credentials, and other sites, and no line of missing ones', async () => {
    const cookie = await signIn({ ...customer, address: '10.1.1.9' });
    const before = await rowCount();
    const unknown = { apiKey: newToken('key', 'test'), apiSecret: customer.apiSecret };
    for (let n = 0; n < 7; n += 1) await call(getCustomer, unknown, from('10.1.1.1'));
    await call(getCustomer, wrong, from('10.1.1.1'));
    await call(getCustomer, null, from('10.1.1.2'));
    const otherSite = { cookie, 'sec-fetch-site': 'cross-site' };
    await call(getCustomer, null, { headers: otherSite });
    expect(await rowCount()).toEqual(before);
    expect(logged(warn)?.map(({ event, reason }) => `${event} ${reason}`)).toEqual([
      ...Array.from({ length: 4 }, () => 'authentication.refused key_unknown'),
      'lockout.started too_many_failures',
      'authentication.refused key_unknown',
      ...Array.from({ length: 3 }, () => 'authentication.refused too_many_failures'),
      'cross_site.refused cross_site',
    ]);
    expect(logged(warn)?.at(-1)).toMatchObject({ channel: 'dashboard', customerId: customer.id });
    expect(info).toHaveBeenCalledWith(
      expect.objectContaining({ status: 401, address: '10.1.1.2', requestId: 'request-0001' }),
      'request',
    );
  });

  it('log a disabled account, and nothing for a customer who signs in too often', async () => {
    const disabled = await newCustomer(service.db, { status: 'Suspended' });
    await call(getCustomer, disabled, from('10.1.7.1'));
    const refused = { event: 'authentication.refused', reason: 'account_disabled', customerId: disabled.id };
    expect(logged(warn)).toMatchObject([refused]);
    const openOne = () => signIn({ ...customer, address: '10.1.7.2' });
    const signIns = await Promise.allSettled(Array.from({ length: 31 }, openOne));
    expect(signIns.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    expect(logged(warn)).toMatchObject([refused]);
  });

  it('leave out a key that is none, such as a secret in its place', async () => {
    await call(getCustomer, { apiKey: customer.apiSecret, apiSecret: customer.apiKey }, from('10.1.2.1'));
    expect(logged(warn)).toMatchObject([{ reason: 'key_unknown', keyPrefix: undefined }]);
  });

  it('write nothing for a successful read, whose log line names the client', async () => {
    await call(getCustomer, customer, from('10.1.3.1'));
    const before = await rowCount();
    info?.mockClear();
    await call(getCustomer, customer, from('10.1.3.1'));
    expect(await rowCount()).toEqual(before);
    expect(logged(info)).toEqual([]);
    expect(info).toHaveBeenCalledWith(
      expect.objectContaining({
        path: getCustomer.path,
        address: '10.1.3.1',
        channel: 'api',
        keyPrefix: customer.apiKey.slice(0, 13),
        customerId: customer.id,
      }),
      'request',
    );
  });

  it('record the end of another session of the customer', async () => {
    const client = { address: '10.1.6.1', requestId: 'ended-00001' };
    const cookie = await signIn({ ...customer, address: '10.1.6.2' });
    const [own] =
      await sql`select encode(id_hash, 'hex') as id from sessions where customer_id = ${customer.id}`;
    await endSession(services(), cookie, { id: String(own?.id), customerId: customer.id, ...client });
    const row = { actor: `customer:${customer.username}`, channel: 'dashboard', action: 'session.closed' };
    expect(await auditOf('session.closed')).toEqual([
      { ...row, address: client.address, request_id: client.requestId },
    ]);
  });

  it('record a sign-in and a sign-out in the log and the audit, and a refused sign-in', async () => {
    const client = { address: '10.1.4.1', requestId: 'sign-in-0001' };
    const cookie = await signIn({ ...customer, ...client });
    await closeSession(services(), cookie, client);
    expect(logged(info)).toHaveLength(2);
    await closeSession(services(), cookie, client);
    await expect(openSession(services(), { ...wrong, ...client })).rejects.toThrow();
    const row = { actor: `customer:${customer.username}`, channel: 'dashboard', address: '10.1.4.1' };
    expect(await auditOf('session.%')).toEqual([
      { ...row, action: 'session.opened', request_id: 'sign-in-0001' },
      { ...row, action: 'session.closed', request_id: 'sign-in-0001' },
    ]);
    expect(logged(info)).toMatchObject([
      {
        event: 'session.opened',
        customerId: customer.id,
        keyPrefix: customer.apiKey.slice(0, 13),
        ...client,
      },
      { event: 'session.closed', customerId: customer.id, ...client },
    ]);
    expect(await stored()).toMatchObject([
      { event: 'session.refused', reason: 'secret_invalid', channel: 'dashboard' },
    ]);
  });
});

describe('isCrossSite', () => {
  const headersOf = (sent: Record<string, string>) =>
    new Headers({ 'x-forwarded-for': '10.1.5.1', 'x-request-id': 'form-00001', ...sent });

  it('accepts a form of our own pages', () => {
    expect(isCrossSite(services(), headersOf({ 'sec-fetch-site': 'same-origin' }))).toBe(false);
    expect(logged(warn)).toEqual([]);
  });

  it.each([
    ['of another site', { 'sec-fetch-site': 'cross-site' }],
    ['that does not say where it is from', {}],
  ])('refuses and records a form %s', (_, sent) => {
    expect(isCrossSite(services(), headersOf(sent))).toBe(true);
    const client = { address: '10.1.5.1', requestId: 'form-00001' };
    const event = { event: 'cross_site.refused', channel: 'dashboard', reason: 'cross_site' };
    expect(logged(warn)).toEqual([{ ...event, ...client }]);
  });

  it('takes a client without an address for the machine itself', () => {
    expect(clientOf(new Headers())).toEqual({ address: '127.0.0.1', requestId: undefined });
  });
});

describe('audit of card changes', () => {
  it('has the request, the channel, and the address', async () => {
    const { json } = await add(customer, 'tok_visa', {
      'x-forwarded-for': '10.2.0.1',
      'x-request-id': 'add-000001',
    });
    const browser = {
      cookie: await signIn({ ...customer, address: '10.2.0.2' }),
      'sec-fetch-site': 'same-origin',
      'x-forwarded-for': '10.2.0.2',
    };
    await call({ path: `/api/schedule/v1/payment/cards/${json.card?.uuid}`, method: 'DELETE' }, null, {
      headers: { ...browser, 'x-request-id': 'remove-0001' },
    });
    const actor = `customer:${customer.username}`;
    expect(await auditOf('card.%')).toEqual([
      { action: 'card.added', actor, channel: 'api', address: '10.2.0.1', request_id: 'add-000001' },
      { action: 'card.removed', actor, channel: 'dashboard', address: '10.2.0.2', request_id: 'remove-0001' },
    ]);
  });
});

describe('loggedPath', () => {
  it.each([
    ['/api/v1/customers/payout?from=x', '/api/v1/customers/payout'],
    ['http://localhost/schedule/v1/x', '/schedule/v1/x'],
    ['http://localhost', '/'],
    ['/cards#4242', '/cards'],
    ['/api/v1/payment/cards/4242424242424242', undefined],
    ['/api/v1/payment/cards/4242%204242%204242%204242', undefined],
    ['/api/v1/payment/cards/%3424242424242424%32/%ff', undefined],
    ['/api/v1/payment/cards/4242%25204242%25204242%25204242', undefined],
    [`/${'x'.repeat(190)}4242424242424242`, undefined],
    ['/api/v1/%E2%98%83', '/api/v1/%E2%98%83'],
    ['/api/v1/sk_live_abc', undefined],
    ['/api/v1/secret%5Ftest_abc', undefined],
    ['/api/v1/SECRET_test_abc', undefined],
    [`/${'x'.repeat(300)}`, `/${'x'.repeat(199)}`],
  ])('of %s is %s', (url, expected) => {
    expect(loggedPath(url)).toBe(expected);
  });
});
