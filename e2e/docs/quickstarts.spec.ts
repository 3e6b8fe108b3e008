import { execFile } from 'node:child_process';
import { cp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { quickstartFolder } from '#src/docs/quickstarts.ts';
import { prepareQuickstart, quickstartsToRun } from '#tools/quickstart-programs.ts';
import { temporaryFolder } from '#tools/testing/temporary-folder.ts';
import { expect, newEntry, test } from '../support/fixtures.ts';
import { installClient } from './run-code-sample.ts';

type Received = { request: string; key: string | undefined };

/** Responds to the first request of each kind with 503, and then forwards them. */
async function startUnreliable(serviceUrl: string) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const isFirst = !received.some((earlier) => earlier.request === `${method} ${url}`);
    received.push({ request: `${method} ${url}`, key: headers['idempotency-key']?.toString() });
    const body = Buffer.concat(await request.toArray());
    if (isFirst)
      return response.writeHead(503, { 'Retry-After': '0' }).end('{"error":{"type":"unavailable"}}');
    const sent = ['x-auth-apikey', 'x-auth-apisecret', 'content-type', 'idempotency-key'].flatMap((name) =>
      headers[name] ? [[name, headers[name].toString()] as [string, string]] : [],
    );
    const upstream = await fetch(serviceUrl + url, {
      method,
      headers: sent,
      ...(body.length > 0 && { body }),
    });
    response.writeHead(upstream.status, { 'Content-Type': 'application/json' }).end(await upstream.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { received, close, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

type Result = { code: number; stdout: string; stderr: string };

function execute(
  [program = '', ...parameters]: string[],
  cwd: string,
  env: Record<string, string>,
): Promise<Result> {
  return new Promise((resolve) => {
    execFile(
      program,
      parameters,
      { cwd, env: { ...process.env, ...env }, timeout: 60_000 },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
    );
  });
}

for (const { title, file, command } of quickstartsToRun(Boolean(process.env.FULL)).run) {
  test(`quickstarts: ${title} adds and removes a card with retries, and reports a decline and an error`, async ({
    api,
    baseURL: serviceUrl,
    clientOf,
    customer,
    db,
  }) => {
    test.setTimeout(180_000);
    const baseURL = serviceUrl ?? '';
    await newEntry(db, customer, { amountCents: 128450n, reference: 'INV-1' });
    const { text: guide } = await api('GET', '/docs/quickstarts.md');
    const output = /```text title="Output"\n(.*?)```/s.exec(guide)?.[1];
    const folder = await temporaryFolder('quickstart');
    const unreliable = await startUnreliable(baseURL);
    try {
      await cp(path.join(quickstartFolder, file), path.join(folder.path, file));
      if (title === 'TypeScript client') {
        await installClient(folder.path, baseURL);
        // What `npm init` makes.
        await writeFile(path.join(folder.path, 'package.json'), '{"type":"commonjs"}');
      }
      const program = await prepareQuickstart(title, command, folder.path);
      const keys = { API_KEY: customer.apiKey, API_SECRET: customer.apiSecret };
      // Go needs a place for what it compiles.
      const run = (env: Record<string, string>) =>
        execute(program, folder.path, {
          NO_COLOR: '1',
          GOCACHE: folder.path,
          BASE_URL: baseURL,
          ...keys,
          ...env,
        });

      expect(await run({ BASE_URL: unreliable.url })).toMatchObject({ code: 0, stdout: output });
      const [addition, removal] = ['POST', 'DELETE'].map((method) =>
        unreliable.received.filter(({ request }) => request.startsWith(method)).map(({ key }) => key),
      );
      expect([addition?.length, removal?.length]).toEqual([2, 2]);
      expect([new Set(addition).size, new Set(removal).size]).toEqual([1, 1]);
      expect(addition?.[0]).toMatch(/^[\w-]{8,}$/);
      expect(removal?.[0]).not.toBe(addition?.[0]);
      expect((await clientOf(customer).getCustomer()).cards).toEqual([]);

      const declined = await run({ CARD_TOKEN: 'tok_visa_chargeDeclined' });
      expect(declined.code).toBe(0);
      expect(declined.stdout).toMatch(
        /^Balance due: 128450 cents\nNot added: card_declined: Your bank .*back of it\.\n$/,
      );

      const refused = await run({ API_SECRET: 'secret_test_wrong' });
      expect([refused.code, refused.stdout]).toEqual([1, '']);
      expect(refused.stderr).toMatch(/^secret_invalid: Invalid credentials\. \(request ID [\w-]{8,}\)$/m);
    } finally {
      unreliable.close();
      await folder.remove();
    }
  });
}
