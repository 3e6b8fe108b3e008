import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSettings, SettingsError, settingNames } from './settings.ts';

const secret = '05405e976e8846288a9932dc681109d6';
const ownDatabase = { DATABASE_URL: 'postgres://u:p@db/s', SESSION_SECRET: secret };
const sandbox = { PAYMENTS: 'sandbox' };
const testKeys = { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_PUBLISHABLE_KEY: 'pk_test_1' };
const liveKeys = {
  STRIPE_SECRET_KEY: 'sk_live_1',
  STRIPE_PUBLISHABLE_KEY: 'pk_live_1',
  STRIPE_WEBHOOK_SECRET: 'whsec_m5Vb2qYx8Rk0TzLp7Wn3Jc6Hd9Fg4Sa1',
  PUBLIC_URL: 'https://a.example',
};

describe('settings', () => {
  it('have a default for every variable', () => {
    expect(readSettings({})).toMatchObject({
      PORT: 3000,
      HOST: '127.0.0.1',
      TRUST_PROXY: 0,
      DATA_DIR: '.data',
      publicUrl: 'http://127.0.0.1:3000',
      sandboxPort: 3001,
      mode: 'sandbox',
      WEB_CONCURRENCY: 1,
      DATABASE_POOL: 10,
      LIMIT_REQUESTS_PER_MINUTE: 600,
      LIMIT_FAILED_AUTH_PER_KEY_AND_ADDRESS: 30,
      LIMIT_FAILED_AUTH_PER_ADDRESS: 300,
      LIMIT_FAILED_AUTH_WINDOW_SECONDS: 300,
      LIMIT_DECLINES_PER_HOUR: 20,
    });
  });

  it.each([
    ['PORT', 1, 65_535],
    ['TRUST_PROXY', 0, 10],
    ['WEB_CONCURRENCY', 1, 64],
    ['DRAIN_SECONDS', 0, 300],
    ['SESSION_IDLE_MINUTES', 5, 720],
    ['SESSION_HOURS', 1, 12],
    ['SECURITY_EVENTS_RETENTION_DAYS', 1, 3_650],
    ['CLIENT_ADDRESSES_RETENTION_DAYS', 1, 3_650],
    ['FAILED_CARDS_RETENTION_DAYS', 1, 3_650],
    ['DATABASE_POOL', 1, 1_000_000_000],
    ['LIMIT_DECLINES_PER_HOUR', 1, 1_000_000_000],
  ])('%s is from %d to %d', (name, min, max) => {
    for (const value of [min, max])
      expect(readSettings({ SANDBOX_PORT: '3001', [name]: String(value) })).toMatchObject({ [name]: value });
    for (const value of [min - 1, max + 1, 1.5])
      expect(() => readSettings({ [name]: String(value) })).toThrow(`${name} must be a whole number`);
  });

  it.each([
    'memory',
    'database',
    'redis://cache',
    'redis://:secret@127.0.0.1:6379/2',
    'rediss://user:secret@[::1]:6380/',
  ])('QUOTA_STORE can be %s', (QUOTA_STORE) => {
    expect(readSettings({ QUOTA_STORE })).toMatchObject({ QUOTA_STORE });
  });

  it.each([
    'redis',
    'redis://',
    'redis://cache/name',
    'redis://cache:port',
    'redis://:50%@cache',
    'http://cache',
  ])('QUOTA_STORE cannot be %s', (QUOTA_STORE) => {
    expect(() => readSettings({ QUOTA_STORE })).toThrow('QUOTA_STORE must be memory, database, or a URL');
  });

  it('take a restricted key of Stripe', () => {
    const restricted = { ...testKeys, STRIPE_SECRET_KEY: 'rk_test_1' };
    expect(readSettings(restricted)).toMatchObject({ ...restricted, mode: 'test' });
  });

  it.each([
    'f7d3a1c89e5b40627d1f8a3c5e9b0247618d3fa5c7e90b2416d8f3a5c7b9e012',
    'cG9xV+3kZ1uT/8sRj5yHnM0aLw7Qe2BdXfK4vIgOtUE=',
    'n4Tq-V9cZr_1LwPx7KuYb3MgHs8JdEf2',
  ])('take a session secret that is hexadecimal or base64: %s', (SESSION_SECRET) => {
    expect(readSettings({ SESSION_SECRET })).toMatchObject({ SESSION_SECRET });
  });

  it('take a session secret of 32 characters', () => {
    expect(readSettings({ SESSION_SECRET: secret })).toMatchObject({ SESSION_SECRET: secret });
    expect(() => readSettings({ SESSION_SECRET: secret.slice(1) })).toThrow(
      'SESSION_SECRET must be at least 32',
    );
  });

  it('treat an empty value as unset', () => {
    expect(readSettings({ PORT: '', DATABASE_URL: '' })).toMatchObject({ PORT: 3000 });
  });

  it('derive from each other', () => {
    expect(readSettings({ PORT: '4000' })).toMatchObject({ sandboxPort: 4001 });
    expect(readSettings({ PORT: '4000', SANDBOX_PORT: '5000' })).toMatchObject({ sandboxPort: 5000 });
    expect(readSettings({ ...sandbox, PUBLIC_URL: 'https://a.example/' })).toMatchObject({
      publicUrl: 'https://a.example',
    });
    expect(readSettings({ ...sandbox, HOST: '0.0.0.0' })).toMatchObject({
      publicUrl: 'http://127.0.0.1:3000',
    });
    expect(readSettings(liveKeys)).toMatchObject({ mode: 'live' });
  });

  it.each([
    ['PORT', { PORT: 'http' }],
    ['PORT', { PORT: '70000' }],
    ['HOST', { HOST: '[::1]' }],
    ['HOST', { HOST: ' 127.0.0.1' }],
    ['TRUST_PROXY', { TRUST_PROXY: '-1' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'a.example' }],
    ['DATABASE_URL', { ...testKeys, SESSION_SECRET: secret, DATABASE_URL: 'mysql://db/s' }],
    ['SESSION_SECRET', { SESSION_SECRET: 'short' }],
    ['SESSION_SECRET', { ...testKeys, DATABASE_URL: 'postgres://u:p@db/s' }],
    ['STRIPE_SECRET_KEY', { ...testKeys, STRIPE_SECRET_KEY: 'pk_test_1' }],
    ['STRIPE_PUBLISHABLE_KEY', { STRIPE_SECRET_KEY: 'sk_test_1' }],
    ['STRIPE_SECRET_KEY', { ...testKeys, STRIPE_SECRET_KEY: 'sk_live_1' }],
    ['STRIPE_WEBHOOK_SECRET', { STRIPE_WEBHOOK_SECRET: 'secret' }],
    ['STRIPE_WEBHOOK_SECRET', { ...liveKeys, STRIPE_WEBHOOK_SECRET: '' }],
    ['STRIPE_WEBHOOK_SECRET', { ...liveKeys, STRIPE_WEBHOOK_SECRET: 'whsec_test' }],
    ['PUBLIC_URL', { ...liveKeys, PUBLIC_URL: '' }],
    ['PUBLIC_URL', { ...liveKeys, PUBLIC_URL: 'http://127.0.0.1:3000' }],
    ['PAYMENTS=sandbox', { PUBLIC_URL: 'https://a.example' }],
    ['PAYMENTS=sandbox', { PUBLIC_URL: 'https://localhost' }],
    ['PAYMENTS=sandbox', { PUBLIC_URL: 'http://192.168.1.5:3000' }],
    ['PAYMENTS=sandbox', { HOST: '0.0.0.0' }],
    ['PAYMENTS=sandbox', { HOST: '::' }],
    ['SESSION_SECRET', { SESSION_SECRET: 's'.repeat(32) }],
    ['SESSION_SECRET', { SESSION_SECRET: 'changeme'.repeat(5) }],
    ...[
      '0123456789'.repeat(4),
      '0123456789abcdeffedcba9876543210',
      'this-is-my-session-secret-please',
      'This-is-my-session-secret-please1',
      'please-change-this-secret-value!',
      'abcdefghijklmnopqrstuvwxyz012345',
      'qwertyuiopasdfghjklzxcvbnm123456',
      `${secret} ${secret}`,
    ].map((SESSION_SECRET): [string, { SESSION_SECRET: string }] => [
      'openssl rand -hex 32',
      { SESSION_SECRET },
    ]),
    [
      'openssl rand -hex 32',
      { SESSION_SECRET: secret, SESSION_SECRET_2: 'my-previous-session-secret-of-2026' },
    ],
    ['STRIPE_API_BASE', { ...liveKeys, STRIPE_API_BASE: 'http://127.0.0.1:1' }],
    ['PAYMENTS', { PAYMENTS: 'real' }],
    ['PAYMENTS', { ...liveKeys, PAYMENTS: 'sandbox' }],
    ['PAYMENTS', ownDatabase],
    ['DATABASE_OWNER_URL', { DATABASE_OWNER_URL: 'postgres://o:p@db/s' }],
    ['must be different ports', { METRICS_PORT: '3000' }],
    ['must be different ports', { METRICS_PORT: '3001' }],
    ['must be different ports', { SANDBOX_PORT: '3000' }],
    ['SANDBOX_PORT is by default PORT plus one', { PORT: '65535' }],
    ['LIMIT_REQUESTS_PER_MINUTE', { LIMIT_REQUESTS_PER_MINUTE: '0' }],
    ['LOG_LEVEL', { LOG_LEVEL: 'loud' }],
  ])('stop the start with a sentence about a wrong %s: %o', (name, env) => {
    expect(() => readSettings(env)).toThrow(SettingsError);
    expect(() => readSettings(env)).toThrow(name);
  });

  it.each([
    {},
    { PUBLIC_URL: 'http://localhost:3000' },
    { PUBLIC_URL: 'http://127.0.0.1:3000' },
    { PUBLIC_URL: 'http://[::1]:3000', HOST: '::1' },
    { ...sandbox, HOST: '0.0.0.0', PUBLIC_URL: 'https://a.example' },
    { ...testKeys, HOST: '0.0.0.0', PUBLIC_URL: 'https://a.example' },
    liveKeys,
  ])('accept an address that fits the payments: %o', (env) => {
    expect(readSettings(env)).toMatchObject(env);
  });

  it('leave the port of the sandbox to the metrics without a sandbox', () => {
    expect(readSettings({ ...testKeys, METRICS_PORT: '3001' })).toMatchObject({ METRICS_PORT: 3001 });
  });

  it('report an invalid value in a sentence', () => {
    expect(() => readSettings({ PORT: 'http' })).toThrow('PORT must be a whole number from 1 to 65535.');
    expect(() => readSettings({ PAYMENTS: 'real' })).toThrow('PAYMENTS can only be "sandbox".');
    expect(() => readSettings({ PUBLIC_URL: 'a' })).toThrow(
      'PUBLIC_URL must be a URL that starts with http:// or https://.',
    );
  });

  it('report all invalid values at once', () => {
    expect(() => readSettings({ PORT: 'x', LOG_LEVEL: 'loud' })).toThrow(/PORT[\s\S]*LOG_LEVEL/);
  });

  it.each(['deploy/kubernetes.yaml', 'deploy/scheduling.service', 'compose.yaml'])(
    'in %s exist',
    async (file) => {
      const text = await readFile(path.join(import.meta.dirname, '..', file), 'utf8');
      const names = [...text.matchAll(/name: ([A-Z_]{4,})|^Environment=([A-Z_]+)|^ {6}([A-Z_]+):/gm)].map(
        (match) => match[1] ?? match[2] ?? match[3],
      );
      expect(names.length).toBeGreaterThan(0);
      const passwords = ['OWNER', 'WEB', 'OPERATOR'].map((role) => `${role}_PASSWORD`);
      const ofPostgres = ['POSTGRES_PASSWORD', 'PGPASSWORD', ...passwords];
      expect([...settingNames, ...ofPostgres]).toEqual(expect.arrayContaining(names));
    },
  );

  it('are read from files that *_FILE names, without the line break at the end', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'settings-'));
    const [file, missing] = [path.join(folder, 'secret'), path.join(folder, 'missing')];
    await writeFile(file, `${secret}\n`);
    expect(readSettings({ SESSION_SECRET_FILE: file })).toMatchObject({ SESSION_SECRET: secret });
    expect(() => readSettings({ SESSION_SECRET_FILE: file, SESSION_SECRET: secret })).toThrow(
      'SESSION_SECRET and SESSION_SECRET_FILE are both set. Remove one of them.',
    );
    expect(() => readSettings({ SESSION_SECRET_FILE: missing })).toThrow(
      `SESSION_SECRET_FILE cannot be read from ${missing} (ENOENT).`,
    );
    expect(readSettings({ LOG_FILE: missing })).toMatchObject({ LOG_FILE: missing });
    await writeFile(file, 'short');
    expect(() => readSettings({ SESSION_SECRET_FILE: file })).toThrow('SESSION_SECRET must be at least 32');
    await rm(folder, { recursive: true });
  });

  it('are all documented in .env.example, which is valid and lists nothing else', async () => {
    const text = await readFile(path.join(import.meta.dirname, '..', '.env.example'), 'utf8');
    const lines = [...text.matchAll(/^#? ?([A-Z][A-Z_0-9]+)=(.*)$/gm)];
    expect(lines.map(([, name]) => name).sort()).toEqual([...settingNames].sort());
    for (const [line, name = '', value = ''] of lines) {
      const before = text.slice(0, text.indexOf(line)).trimEnd().split('\n').at(-1);
      expect(before, `an explanation above ${name}`).toMatch(/^# [A-Z]?/);
      if (/^(LIMIT|PORT|HOST|TRUST|DATA_DIR|DATABASE_POOL$|LOG_LEVEL)/.test(name)) {
        expect(Object.entries(readSettings({}))).toContainEqual([
          name,
          /^\d+$/.test(value) ? Number(value) : value,
        ]);
      }
    }
  });
});
