import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { checkout } from './checkout.ts';

const files = globSync(['{app,components,db,src}/**/*.{ts,tsx}', 'proxy.ts', 'instrumentation.ts'], {
  cwd: checkout,
}).filter((name) => !/\.test\.|\/tests\/|testing/.test(name));
const textOf = (name: string) => readFileSync(path.join(checkout, name), 'utf8');
const filesWith = (pattern: RegExp, among = files) =>
  among.filter((name) => pattern.test(textOf(name))).sort();
const rendered = files.filter((name) => /^(app|components)\//.test(name));

it('the code of a release is found', () => {
  expect(files.length).toBeGreaterThan(300);
});

it('only the build and the embedded database start processes, and none with a shell', () => {
  const starting = filesWith(/child_process/);
  expect(starting).toEqual(['db/embedded/installation.ts', 'db/embedded/process.ts', 'src/server/build.ts']);
  for (const name of starting)
    expect(textOf(name)).toMatch(
      /import \{( (execFile|execFileSync|spawn|spawnSync),?)+ \} from 'node:child_process'/,
    );
  expect(filesWith(/\bshell:/, starting)).toEqual([]);
});

it('only the provider, the geocoder, and the database are requested by the service', () => {
  const ofService = files.filter((name) => !name.startsWith('components/') && !name.startsWith('src/docs/'));
  expect(filesWith(/\bfetch\(/, ofService)).toEqual(['src/geo/geocoder.ts']);
  expect(filesWith(/\bhttps?\.(get|request)\(|import \{[^}]*\brequest\b[^}]*\} from 'node:https?'/)).toEqual(
    [],
  );
  expect(filesWith(/new Stripe\(/)).toEqual(['src/payments/stripe.ts']);
  const connecting = filesWith(/\bpostgres\([\w{]/);
  expect(connecting).toContain('db/server.ts');
  expect(connecting.filter((name) => !name.startsWith('db/'))).toEqual([]);
});

it('pages insert no HTML, evaluate no text, and receive no messages of other windows', () => {
  expect(filesWith(/dangerouslySetInnerHTML|innerHTML|insertAdjacentHTML|document\.write/)).toEqual([]);
  expect(filesWith(/\beval\(|new Function\(/)).toEqual([]);
  expect(filesWith(/addEventListener\(\s*'message'|onmessage/, rendered)).toEqual([]);
});

it('pages let people paste, and store only the chosen language of code samples in the browser', () => {
  expect(filesWith(/onPaste|onBeforeInput/, rendered)).toEqual([]);
  expect(filesWith(/\b(localStorage|sessionStorage|indexedDB)\b/, rendered)).toEqual([
    'components/docs/code-tabs.tsx',
  ]);
});

it('outside of `db`, only the check of the schema and imports send statements as text', () => {
  const unescaped = filesWith(/\bsql\.raw\(|\.unsafe\(/).filter((name) => !name.startsWith('db/'));
  expect(unescaped).toEqual(['src/api/readiness.ts', 'src/ledger/import-queries.ts']);
});

it('requests are parsed strictly', () => {
  expect(filesWith(/insecureHTTPParser|insecure-http-parser/)).toEqual([]);
});

it('app has no tests, only what Next.js serves', () => {
  expect(globSync('app/**/*.test.{ts,tsx}', { cwd: checkout })).toEqual([]);
});

it('every page of the dashboard has the menu that signs out', () => {
  expect(textOf('app/(dashboard)/layout.tsx')).toContain('<AppShell');
  const shell = textOf('components/layout/app-shell.tsx');
  expect(shell).toContain('<AccountMenu');
  expect(shell).toContain('<form action="/sign-out" method="post">');
  const layouts = files.filter((name) => /^app\/.*layout\.tsx$/.test(name)).sort();
  expect(layouts).toEqual(['app/(dashboard)/layout.tsx', 'app/docs/layout.tsx', 'app/layout.tsx']);
  const outside = files.filter((name) => /^app\/(?!\(dashboard\)).*page\.tsx$/.test(name)).sort();
  expect(outside.filter((name) => !name.startsWith('app/docs/'))).toEqual(['app/sign-in/page.tsx']);
});

it('hashes are SHA-256, random values are not from Math.random, and secrets are compared in constant time', () => {
  const computing = filesWith(/\b(createHash|createHmac|hash)\('/);
  expect(computing).toContain('src/tokens.ts');
  for (const name of computing)
    expect(textOf(name)).not.toMatch(/\b(createHash|createHmac|hash)\('(?!sha256')/);
  // Which requests are traced is no secret.
  expect(filesWith(/Math\.random|createCipheriv|crypto\.subtle/)).toEqual(['src/server/tracing.ts']);
  expect(textOf('src/api/authenticate.ts')).toContain('timingSafeEqual(');
});

it('forms with a secret are sent by POST', () => {
  const forms = filesWith(/<SecretField|name="apiSecret"/, rendered).filter((name) =>
    textOf(name).includes('<form'),
  );
  expect(forms).toHaveLength(3);
  for (const name of forms) expect(textOf(name)).toMatch(/<form\s[^>]*(method="post"|action=\{submit\})/);
});

it('no action encloses values, because the key that would encrypt them is not secret (next.config.mjs)', () => {
  const actions = filesWith(/['"]use server['"]/);
  expect(actions).toEqual([
    'app/(dashboard)/api-access/actions.ts',
    'app/(dashboard)/refresh-page.ts',
    'app/sign-in/actions.ts',
  ]);
  for (const name of actions) expect(textOf(name)).toMatch(/^'use server';\n/);
  expect(filesWith(/(?!^)['"]use server['"]/, actions)).toEqual([]);
});
