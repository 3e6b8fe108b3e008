import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { prepareQuickstart, quickstartsToRun } from '#e2e/docs/code-samples.ts';
import { quickstartFolder } from '#src/docs/quickstarts.ts';
import { temporaryFolder } from '#tools/testing/processes.ts';
import { expect, newEntry, test } from '../support/fixtures.ts';
import { startServer } from '../support/http.ts';
import { installClient, startRedirect } from './code-samples.ts';

/** Of one attempt. The client has its own, which its tests cover. */
const timeout = /\b45(?=\b|_)/g;

type Received = { request: string; key: string | undefined };

type Failure = { status: number; headers: Record<string, string>; body: string };
/** What a gateway sends while the service is away. */
const badGateway: Failure = {
  status: 502,
  headers: { 'Content-Type': 'text/html', 'Retry-After': 'Sun, 22 Nov 2026 00:00:00 GMT' },
  body: '<!DOCTYPE html><html><br>Bad gateway</html>',
};
/** Of a connection that is lost before the end of the body. */
const cut: Failure = {
  status: 200,
  headers: { 'Content-Type': 'application/json', 'Content-Length': '100', Connection: 'close' },
  body: '{"status":true,',
};
const empty: Failure = { status: 503, headers: {}, body: '' };
const unavailable: Failure = {
  status: 503,
  headers: { 'Content-Type': 'application/json', 'Retry-After': '0' },
  body: '{"error":{"type":"unavailable"}}',
};

/** Fails requests of each kind in these ways, with no response for null, before it forwards them. */
async function startUnreliable(serviceUrl: string, failures: (Failure | null)[]) {
  const received: Received[] = [];
  const server = await startServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const failure = failures[received.filter((earlier) => earlier.request === `${method} ${url}`).length];
    received.push({ request: `${method} ${url}`, key: headers['idempotency-key']?.toString() });
    const body = Buffer.concat(await request.toArray());
    if (failure === null) return;
    if (failure) return response.writeHead(failure.status, failure.headers).end(failure.body);
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
  return { received, ...server };
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
  test(`quickstarts: ${title} adds and removes a card with retries, and reports a decline and errors`, async ({
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
    const unreliable = await startUnreliable(baseURL, [cut, badGateway, unavailable]);
    const silent = await startUnreliable(baseURL, [null]);
    const away = await startUnreliable(baseURL, [unavailable, empty, badGateway, badGateway]);
    const redirect = await startRedirect();
    try {
      const source = await readFile(path.join(quickstartFolder, file), 'utf8');
      await writeFile(path.join(folder.path, file), source.replaceAll(timeout, '5'));
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
      expect([addition?.length, removal?.length]).toEqual([4, 4]);
      expect([new Set(addition).size, new Set(removal).size]).toEqual([1, 1]);
      expect(addition?.[0]).toMatch(/^[\w-]{8,}$/);
      expect(removal?.[0]).not.toBe(addition?.[0]);
      expect((await clientOf(customer).getCustomer()).cards).toEqual([]);

      const hasTimeout = title !== 'TypeScript client';
      if (hasTimeout) expect(source).toMatch(timeout);
      const [declined, refused, lost, redirected, unreachable] = await Promise.all([
        run({ CARD_TOKEN: 'tok_visa_chargeDeclined', ...(hasTimeout && { BASE_URL: silent.url }) }),
        run({ API_SECRET: 'secret_test_wrong' }),
        run({ BASE_URL: away.url }),
        run({ BASE_URL: redirect.url }),
        run({ BASE_URL: 'http://127.0.0.1:1' }),
      ]);
      expect(declined.code).toBe(0);
      expect(declined.stdout).toMatch(
        /^Balance due: 128450 cents\nNot added: card_declined: Your bank .*back of it\.\n$/,
      );

      expect([refused.code, refused.stdout]).toEqual([1, '']);
      expect(refused.stderr).toMatch(/^secret_invalid: Invalid credentials\. \(request ID [\w-]{8,}\)$/m);

      expect([lost.code, lost.stdout]).toEqual([1, '']);
      expect(lost.stderr).toMatch(/^the service returned 502\.?$/im);
      expect([redirected.code, redirected.stdout]).toEqual([1, '']);
      expect(redirected.stderr).toMatch(/^the service (returned 302\.?$|redirects to )/im);
      expect(redirect.followed).toEqual([]);
      expect([unreachable.code, unreachable.stdout]).toEqual([1, '']);
      expect(unreachable.stderr).not.toBe('');
      expect(unreachable.stderr).not.toMatch(/the service returned/i);
    } finally {
      for (const server of [unreliable, silent, away, redirect]) server.close();
      await folder.remove();
    }
  });
}
