/** Attacks on the HTTP server, its pages, and its files. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { faultsOf, rawRequests } from '#e2e/api/fuzz/raw-requests.ts';
import { sendBytes } from '#e2e/support/http.ts';
import { startProgram, temporaryFolder } from '#tools/testing/processes.ts';
import { type Attack, flood, send, type Target, unless } from './target.ts';

/** Far more than a response takes. */
const timeoutMs = 20_000;
const close = 'Connection: close\r\n';

/** @returns the status of raw bytes; 0 if the connection was not closed after a response */
async function statusOf(
  { url }: Target,
  requestLine: string,
  headers = `Host: 127.0.0.1\r\n${close}`,
): Promise<number> {
  const bytes = `${requestLine} HTTP/1.1\r\n${headers}\r\n`;
  const response = await Promise.race([sendBytes(url, bytes), pause(timeoutMs, '', { ref: false })]);
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(response)?.[1] ?? 0);
}

/** @param lines of requests, with the status that they must get */
const expectStatuses =
  (lines: [line: string, status: number, headers?: string][]): Attack['run'] =>
  async (target) => {
    const found: string[] = [];
    for (const [line, status, headers] of lines) {
      const got = await statusOf(target, line, headers);
      if (got !== status) found.push(`${line}: ${got} instead of ${status}`);
    }
    return unless(found.length === 0, found);
  };

const upgrade = 'Host: 127.0.0.1\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\n';

export const edgeAttacks: Attack[] = [
  {
    title: 'Offers to upgrade get a response and hold no connection',
    run: expectStatuses([
      ['GET /sign-in', 200, upgrade],
      ['GET /api/health/live', 200, upgrade],
      ['GET /no-such-page', 404, upgrade],
    ]),
  },
  {
    title: 'Odd methods and targets get a plain refusal',
    run: expectStatuses([
      ['TRACE /sign-in', 405],
      ['PROPFIND /sign-in', 405],
      ['OPTIONS *', 400],
      ['GET *', 400],
      ['GET http://evil.example/sign-in', 421],
      ['CONNECT evil.example:443', 405],
      ['POST /sign-in', 400, `Host: 127.0.0.1\r\n${close}Next-Action: \u009b\r\nContent-Length: 2\r\n\r\n[]`],
    ]),
  },
  {
    title: 'Names that others point to the service are refused',
    run: expectStatuses([
      ['GET /sign-in', 421, `Host: evil.example\r\n${close}`],
      ['GET /api/health/live', 421, `Host: 127.0.0.1.evil.example\r\n${close}`],
    ]),
  },
  {
    title: 'Other spellings of API paths lead nowhere',
    run: expectStatuses(
      ['/Schedule/V1/customers/payout', '/x/../api/v1/customers/payout', '/./api/v1/customers/payout']
        .concat(['/api/v1/customers/payout/', '/api//v1/customers/payout', '/api/v1/customers/%70ayout'])
        .map((target): [string, number] => [`GET ${target}`, 404]),
    ),
  },
  {
    title: 'Private files and the image optimizer are not served',
    run: expectStatuses(
      [
        '/.env',
        '/.git/config',
        '/_next/static/../../.env',
        '/package.json',
        '/_next/image?url=%2Ficon.svg&w=64&q=75',
      ].map((target): [string, number] => [`GET ${target}`, 404]),
    ),
  },
  {
    title: 'Malformed and smuggled requests cause no error, no leak, and no open connection',
    run: async (target) => {
      const faults: string[] = [];
      for (const bytes of rawRequests(7, 150)) {
        faults.push(...faultsOf(await sendBytes(target.url, bytes, { isWhole: true })));
      }
      return unless(faults.length === 0, faults);
    },
  },
  {
    title: 'A flood of page requests by any method is limited, and the API still responds',
    run: async (target) => {
      const pages = flood(300, 300, (index) =>
        index % 3
          ? send(target, '/sign-in')
          : send(target, '/no-such', { method: index % 2 ? 'PUT' : 'POST', body: 'x' }),
      );
      const { status } = await send(target, '/api/health/live');
      const counts = await pages;
      const isRefused = [...counts.keys()].every((found) => [200, 405, 503].includes(found));
      return unless(isRefused && status === 200, [status, [...counts]]);
    },
  },
  {
    title: 'Every response has its security headers',
    run: async (target) => {
      const paths = [
        '/',
        '/sign-in',
        '/no-such-page',
        '/icon.svg',
        '//sign-in',
        '/api/none',
        '/api/health/live',
        '/openapi.json',
      ];
      const bare: string[] = [];
      for (const page of paths) {
        const { headers } = await send(target, page);
        const isHttps = target.url.startsWith('https:');
        if (headers.get('x-content-type-options') !== 'nosniff') bare.push(`${page}: nosniff`);
        if (isHttps && !headers.has('strict-transport-security')) bare.push(`${page}: HSTS`);
        if (
          /html/.test(headers.get('content-type') ?? '') &&
          /unsafe-(inline|eval)/.test(headers.get('content-security-policy') ?? 'unsafe-eval')
        )
          bare.push(`${page}: content security policy`);
      }
      return unless(bare.length === 0, bare);
    },
  },
  {
    title: 'Pages without a card form allow no scripts of the payment provider',
    run: async (target) => {
      const policies = await Promise.all(
        ['/sign-in', '/docs', '/payout', '/profile'].map(
          async (page) => (await send(target, page)).headers.get('content-security-policy') ?? '',
        ),
      );
      return unless(
        policies.every((policy) => policy.includes("frame-src 'none'")),
        policies,
      );
    },
  },
  {
    title: 'Reports of violations are limited in size and number',
    run: async (target) => {
      const report = (body: string) =>
        send(target, '/api/csp-reports', {
          method: 'POST',
          headers: { 'Content-Type': 'application/csp-report' },
          body,
        });
      const large = await report('x'.repeat(17_000));
      const counts = await flood(60, 8, () => report('{"csp-report":{}}'));
      return unless(large.status === 413 && (counts.get(429) ?? 0) > 0, [large.status, [...counts]]);
    },
  },
  {
    title: 'Other sites cannot fill or use the payment sandbox',
    isOwnOnly: true,
    run: async ({ own }) => {
      const url = own?.sandboxUrl ?? '';
      const post = (target: string, headers: Record<string, string>) =>
        send({ url }, target, { method: 'POST', headers, body: 'x=1' });
      const found = [
        (await post('/v1/tokens', { Origin: 'https://evil.example' })).status,
        (await post('/v1/tokens', { 'Content-Type': 'text/plain' })).status,
        (await post('/_sandbox/reset', { 'Content-Type': 'text/plain' })).status,
      ];
      return unless(
        found.every((status) => status >= 400 && status < 500),
        found,
      );
    },
  },
  {
    title: 'Other users of the machine cannot read the data folder',
    isOwnOnly: true,
    run: async ({ own }) => {
      const names = ['secrets.json', 'demo.env', 'service.log', 'sandbox.sqlite'];
      const { mode: folderMode } = await stat(own?.dataDir ?? '');
      const open = (folderMode & 0o066) === 0 ? [] : [`data folder ${(folderMode & 0o777).toString(8)}`];
      for (const name of names) {
        const { mode } = await stat(path.join(own?.dataDir ?? '', name));
        if ((mode & 0o077) !== 0) open.push(`${name} ${(mode & 0o777).toString(8)}`);
      }
      return unless(open.length === 0, open);
    },
  },
  {
    title: 'A public address starts no demo, and live keys start only with https and a webhook secret',
    isOwnOnly: true,
    run: async () => {
      const folder = await temporaryFolder('attacks');
      const live = { STRIPE_SECRET_KEY: 'sk_live_x', STRIPE_PUBLISHABLE_KEY: 'pk_live_x' };
      const codes: (number | null)[] = [];
      for (const settings of [
        { PUBLIC_URL: 'https://shop.example' },
        { HOST: '0.0.0.0' },
        live,
        { ...live, PUBLIC_URL: 'https://shop.example' },
      ]) {
        codes.push(
          await startProgram(['src/server/start.ts'], { ...process.env, ...settings, DATA_DIR: folder.path })
            .exited,
        );
      }
      await folder.remove();
      return unless(
        codes.every((code) => code !== 0),
        codes,
      );
    },
  },
];
