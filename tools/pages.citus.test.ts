/** The pages of a started service. Run by `npm run test:citus`, after the operations and commands of the database tests. */
import { expect, test } from 'vitest';
import { dashboardPages } from '#components/layout/nav-items.ts';
import { add } from '#src/cards/tests/support.ts';
import { unusedPort } from '#tools/testing/listen.ts';
import { signIn, testService } from './testing/api.ts';
import { newCustomer, newEntry } from './testing/factories.ts';
import { startProgram, untilReady } from './testing/processes.ts';

const service = await testService();

test('every page responds with 200 and its title', async () => {
  // Before the start, which must not take long.
  expect(await startProgram(['tools/build.ts']).exited).toBe(0);
  const customer = await newCustomer(service.db);
  await newEntry(service.db, customer, { amountCents: 1_250n });
  await add(customer, 'tok_visa');
  const Cookie = await signIn(customer);
  const port = String(await unusedPort());
  const origin = `http://127.0.0.1:${port}`;
  const program = startProgram(['src/server/start.ts'], {
    ...process.env,
    ...service.environment,
    PORT: port,
    PUBLIC_URL: origin,
  });
  try {
    await untilReady(program, () =>
      fetch(`${origin}/api/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    expect((await fetch(`${origin}/sign-in`)).status).toBe(200);
    for (const { path, title } of dashboardPages) {
      const page = await fetch(origin + path, {
        headers: { Cookie },
        redirect: 'manual',
      });
      const html = await page.text();
      expect([path, page.status, html.includes(title)]).toEqual([path, 200, true]);
      expect(html).not.toContain('Something went wrong');
    }
  } finally {
    await program.stop();
  }
});
