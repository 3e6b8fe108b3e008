import { expect, test } from 'vitest';
import { getCustomer } from '#src/api/operations/get-customer.ts';
import { getPayout } from '#src/api/operations/get-payout.ts';
import { startProxy } from '#src/cards/tests/crash/proxy.ts';
import { call, testService } from '#tools/testing/api.ts';
import { newCustomer } from '#tools/testing/factories.ts';
import { services } from './services.ts';
import { openSession } from './session.ts';

const service = await testService();

/** Messages of PostgreSQL's protocol that do something: a statement parsed, a prepared one run, a plain one run. */
const doing: Record<string, string> = { P: 'parse', E: 'execute', Q: 'query' };

/** @param chunk whole messages, as postgres.js sends them: a letter, the length of the rest in four bytes, the rest */
function messagesIn(chunk: Buffer): string[] {
  const found: string[] = [];
  for (let at = 0; at < chunk.length; at += 1 + chunk.readUInt32BE(at + 1)) {
    const name = doing[String.fromCharCode(chunk[at] ?? 0)];
    if (name) found.push(name);
  }
  return found;
}

test('getCustomer, getPayout: authenticate and read in one prepared statement', async () => {
  const customer = await newCustomer(service.db);
  const sent: string[] = [];
  let isCounting = false;
  const target = new URL(service.url);
  const wire = await startProxy(
    'database',
    { host: target.hostname, port: Number(target.port) },
    ({ moment, bytes }) => {
      if (isCounting && moment === 'before') sent.push(...messagesIn(bytes));
      return true;
    },
  );
  const through = new URL(service.url);
  through.host = `127.0.0.1:${wire.port}`;
  await service.restart({ DATABASE_URL: through.href });
  try {
    const { name, value } = await openSession(services(), { ...customer, address: '127.0.0.1' });
    const session = { headers: { Cookie: `${name}=${value}` } };
    const reads = [getCustomer, getPayout].flatMap((operation) => [
      () => call(operation, customer),
      () => call(operation, null, session),
    ]);
    // Connections are opened, and statements prepared on each, by what comes first.
    await Promise.all(Array.from({ length: 10 }, () => reads.map((read) => read())).flat());
    // The first of them notes, beside its answer, that the secret is in use.
    const lastUse = async () => {
      const [row] = await service.sql`select last_used_at from secrets where id = ${customer.secretId}`;
      return row?.last_used_at;
    };
    await expect.poll(lastUse).toBeInstanceOf(Date);
    isCounting = true;
    for (const read of reads) {
      for (let round = 0; round < 20; round += 1) {
        expect((await read()).status).toBe(200);
        expect(sent.splice(0)).toEqual(['execute']);
      }
    }
    // What is not one: a wrong secret is counted.
    await call(getCustomer, { ...customer, apiSecret: 'secret_test_wrong' });
    expect(sent.length).toBeGreaterThan(1);
  } finally {
    await service.restart();
    await wire.close();
  }
});
