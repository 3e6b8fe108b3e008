import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import postgres from 'postgres';
import { afterAll, afterEach, expect, test } from 'vitest';
import { getCustomer } from '#src/api/operations/get-customer.ts';
import { handleApiRequest } from '#src/api/router.ts';
import { services } from '#src/api/services.ts';
import { add, remove } from '#src/cards/tests/support.ts';
import { checkDatabase } from '#src/server/database.ts';
import { readSettings } from '#src/settings.ts';
import { newToken } from '#src/tokens.ts';
import { call, signIn, testService } from '#tools/testing/api.ts';
import { newCustomer } from '#tools/testing/factories.ts';
import { unusedPort } from '#tools/testing/listen.ts';
import { temporaryFolder } from '#tools/testing/processes.ts';

const service = await testService({ LIMIT_REQUESTS_PER_MINUTE: '1000000' });
const { hostname, port, username, password, pathname } = new URL(service.url);
const name = pathname.slice(1);
const folder = await temporaryFolder('pgbouncer');
afterAll(() => folder.remove());

let stop = async () => {};
afterEach(async () => {
  await service.restart();
  await stop();
});

/** Debian's PgBouncer in transaction mode. @returns the URL that leads through it */
async function startPooler(ignored = ''): Promise<string> {
  const listenPort = await unusedPort();
  const file = `${folder.path}/pgbouncer-${listenPort}.ini`;
  await writeFile(
    file,
    `[databases]
${name} = host=${hostname} port=${port} dbname=${name} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 5
server_login_retry = 1
ignore_startup_parameters = ${ignored}
`,
  );
  await chmod(file, 0o644);
  const user = process.getuid?.() === 0 ? ['-u', 'postgres'] : [];
  const pooler = spawn('pgbouncer', [...user, file], { stdio: 'ignore' });
  const exited = once(pooler, 'exit');
  stop = async () => {
    pooler.kill('SIGINT');
    pooler.kill('SIGTERM');
    await exited;
  };
  const url = Object.assign(new URL(service.url), { port: String(listenPort) }).href;
  const client = postgres(url, { max: 1, prepare: false, fetch_types: false });
  await expect.poll(() => client`select 1`.then(() => true).catch(() => false)).toBe(true);
  await client.end({ timeout: 1 });
  return url;
}

const settingsFor = (DATABASE_URL: string, DATABASE_POOLER = '') =>
  readSettings({ ...service.environment, DATABASE_URL, DATABASE_POOLER });

test.each(['', 'statement_timeout'])(
  'PgBouncer, ignore_startup_parameters=%s: a start without DATABASE_POOLER is refused',
  async (ignored) => {
    const url = await startPooler(ignored);
    await expect(checkDatabase(settingsFor(url))).rejects.toThrow('Set DATABASE_POOLER=transaction');
  },
);

test('PgBouncer: a role without a statement timeout is refused', async () => {
  const url = await startPooler();
  await expect(checkDatabase(settingsFor(url, 'transaction'))).rejects.toThrow('ALTER ROLE');
});

test('PgBouncer, DATABASE_POOLER=transaction: every caller gets its own rows, limits hold, and a restart of PostgreSQL is survived', async () => {
  await service.sql.unsafe(`alter role ${username} in database ${name} set statement_timeout = '4s'`);
  const url = await startPooler();
  await checkDatabase(settingsFor(url, 'transaction'));
  await service.restart({ DATABASE_URL: url, DATABASE_POOLER: 'transaction' });
  const customers = await Promise.all(Array.from({ length: 8 }, () => newCustomer(service.db)));
  const cookies = await Promise.all(customers.map(signIn));
  const outcomes = new Set<string>();
  const readAll = () =>
    Array.from({ length: 300 }, async (_, index) => {
      const at = index % customers.length;
      const isSession = index % 3 === 0;
      const customer = customers[at] ?? null;
      const read = await call(getCustomer, isSession ? null : customer, {
        headers: isSession ? { Cookie: cookies[at] } : {},
      });
      const { username: found } = (read.json as unknown as { customer: { username: string } }).customer ?? {};
      outcomes.add(`${read.status} ${found === customer?.username}`);
    });
  for (let round = 0; round < 5; round++) await Promise.all(readAll());
  expect([...outcomes]).toEqual(['200 true']);
  const [first, second] = customers as [(typeof customers)[0], (typeof customers)[0]];
  const added = await Promise.all(customers.map((customer) => add(customer, 'tok_visa')));
  expect(added.map(({ status }) => status)).toEqual(customers.map(() => 200));
  expect((await remove(first, added[0]?.json.card?.uuid ?? '')).status).toBe(200);
  const wrong = { ...second, apiSecret: newToken('secret', 'test') };
  expect((await call(getCustomer, wrong)).status).toBe(403);
  await expect(services().db.execute('select pg_sleep(10)')).rejects.toMatchObject({
    cause: { code: '57014' },
  });

  await service.sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and usename = ${username}`;
  const readiness = async () =>
    (await handleApiRequest(new Request('http://127.0.0.1/api/health/ready'))).status;
  await expect.poll(async () => (await call(getCustomer, first)).status).toBe(200);
  await expect.poll(readiness).toBe(200);
  expect((await add(first, 'tok_mastercard')).status).toBe(200);
  expect(await readFile(service.environment.LOG_FILE ?? '', 'utf8')).not.toContain('"status":500');
});
