import { createDecipheriv, createHmac, pbkdf2Sync } from 'node:crypto';
import { sealData } from 'iron-session';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readSettings } from '#src/settings.ts';
import { tokenHash } from '#src/tokens.ts';
import { testSessionSecret as password } from '#tools/testing/settings.ts';
import { cookieHeader, endedCookie, sealedCookie, sessionKey } from './session-cookie.ts';

const settingsOf = (publicUrl: string) =>
  readSettings({ PUBLIC_URL: publicUrl, PAYMENTS: 'sandbox', SESSION_SECRET: password });
const [http, https] = [settingsOf('http://shop.example'), settingsOf('https://shop.example')];
const halfDay = 43_200;
const key = { customerId: 7, idHash: tokenHash('random') };

afterEach(() => {
  vi.useRealTimers();
});

describe('session cookie', () => {
  it.each([
    ['http', http, 'session', false],
    ['https', https, '__Host-session', true],
  ])('over %s: name, Secure, HttpOnly, SameSite, Path, and Max-Age', async (_, settings, name, secure) => {
    const options = { httpOnly: true, secure, sameSite: 'lax', path: '/' };
    const sealed = await sealedCookie(settings, 7, 'random');
    expect(sealed).toEqual({ name, value: sealed.value, options: { ...options, maxAge: halfDay } });
    expect(endedCookie(settings)).toEqual({ name, value: '', options: { ...options, maxAge: 0 } });
    expect(await sessionKey(settings, `x${name}=1;${name}=${sealed.value};last=2`)).toEqual(key);
  });

  it('is written as Set-Cookie, and cleared by the same attributes', async () => {
    const sealed = await sealedCookie(https, 7, 'random');
    const attributes = 'HttpOnly; SameSite=Lax';
    expect([cookieHeader(sealed), cookieHeader(endedCookie(https)), cookieHeader(endedCookie(http))]).toEqual(
      [
        `__Host-session=${sealed.value}; Path=/; Max-Age=43200; ${attributes}; Secure`,
        `__Host-session=; Path=/; Max-Age=0; ${attributes}; Secure`,
        `session=; Path=/; Max-Age=0; ${attributes}`,
      ],
    );
  });

  it('is not sealed without a secret', async () => {
    const settings = readSettings({ PAYMENTS: 'sandbox' });
    await expect(sealedCookie(settings, 7, 'random')).rejects.toThrow('SESSION_SECRET is not set.');
  });

  it('is not read under another name, nor when it is missing, changed, or sealed with another secret', async () => {
    const { value } = await sealedCookie(https, 7, 'random');
    const foreign = await sealData({ customerId: 7, id: 'random' }, { password: password.toUpperCase() });
    const [empty, withoutId, withoutCustomer] = await Promise.all(
      [{}, { customerId: 7 }, { id: 'random' }].map((data) => sealData(data, { password })),
    );
    const cookies = [
      null,
      '',
      '__Host-session=',
      `session=${value}`,
      `x__Host-session=${value}`,
      `__Host-session=${value.replace(/.(?=.{60}$)/, (one) => (one === 'A' ? 'B' : 'A'))}`,
      `__Host-session=${value.replace('Fe26.2', 'Fe26.1')}`,
      `__Host-session=${foreign}`,
      `__Host-session=${empty}`,
      `__Host-session=${withoutId}`,
      `__Host-session=${withoutCustomer}`,
    ];
    for (const cookie of cookies) expect([cookie, await sessionKey(https, cookie)]).toEqual([cookie, null]);
  });

  it('is AES-256-CBC, and then HMAC-SHA-256 of the encrypted text', async () => {
    const { value } = await sealedCookie(http, 7, 'random');
    const [sealed = '', macSalt = '', mac] = /^(.*)\*([^*]+)\*([^*~]+)~\d+$/.exec(value)?.slice(1) ?? [];
    const [, , salt = '', iv = '', encrypted = ''] = sealed.split('*');
    const keyOf = (saltOfKey: string) => pbkdf2Sync(password, saltOfKey, 1, 32, 'sha1');
    const opened = createDecipheriv('aes-256-cbc', keyOf(salt), Buffer.from(iv, 'base64url'));
    const text = opened.update(encrypted, 'base64url', 'utf8') + opened.final('utf8');
    expect(JSON.parse(text)).toMatchObject({ customerId: 7, id: 'random' });
    expect(createHmac('sha256', keyOf(macSalt)).update(sealed).digest('base64url')).toBe(mac);
  });

  it('stays valid at every step of a rotation of SESSION_SECRET, on instances of neighboring steps', async () => {
    const [old, next] = [password, '4d9c1f7ab2e8603595fd7c0ae1b8346d'];
    const settingsWith = (SESSION_SECRET: string, SESSION_SECRET_2 = '') =>
      readSettings({ PAYMENTS: 'sandbox', SESSION_SECRET, SESSION_SECRET_2 });
    const steps = [settingsWith(old), settingsWith(old, next), settingsWith(next, old), settingsWith(next)];
    for (const [before, after] of steps
      .slice(1)
      .map((step, index) => [steps[index] ?? step, step] as const)) {
      for (const [sealing, reading] of [
        [before, after],
        [after, before],
      ] as const) {
        // Sealed again for each, because opened cookies are cached.
        const { value } = await sealedCookie(sealing, 7, 'random');
        expect(await sessionKey(reading, `session=${value}`)).toEqual(key);
      }
    }
    const { value } = await sealedCookie(settingsWith(old), 7, 'random');
    expect(await sessionKey(settingsWith(next), `session=${value}`)).toBeNull();
  });

  it('ends 12 hours after it was sealed', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const early = `session=${(await sealedCookie(http, 7, 'random')).value}`;
    const late = `session=${(await sealedCookie(http, 7, 'random')).value}`;
    vi.setSystemTime(Date.now() + (halfDay - 60) * 1000);
    expect(await sessionKey(http, early)).toEqual(key);
    // More than the minute for which iron-session lets clocks differ.
    vi.setSystemTime(Date.now() + 180 * 1000);
    expect(await sessionKey(http, late)).toBeNull();
  });
});
