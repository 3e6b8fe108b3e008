import { expect, test } from 'vitest';
import { closeDatabase } from '#db/client.ts';
import { getCustomer } from '#src/api/operations/get-customer.ts';
import { startProxy } from '#src/cards/tests/crash/proxy.testing.ts';
import { call, newCustomer, testService } from '#tools/testing/api.ts';

const service = await testService();

test('a database that falls silent is 503 for those who wait, and is asked anew once it speaks again', {
  timeout: 60_000,
}, async () => {
  const customer = await newCustomer(service);
  let isMute = false;
  const target = new URL(service.url);
  const server = { host: target.hostname, port: Number(target.port) };
  const wire = await startProxy('database', server, () => !isMute);
  const through = new URL(service.url);
  through.host = `127.0.0.1:${wire.port}`;
  process.env.DATABASE_URL = through.href;
  try {
    expect((await call(getCustomer, customer)).status).toBe(200);
    isMute = true;
    // More than a connection takes on: those who still wait for their turn are told as soon.
    const waiting = await Promise.all(Array.from({ length: 100 }, () => call(getCustomer, customer)));
    expect(new Set(waiting.map(({ status }) => status))).toEqual(new Set([503]));
    isMute = false;
    expect((await call(getCustomer, customer)).status).toBe(200);
  } finally {
    await closeDatabase();
    await wire.close();
  }
});
