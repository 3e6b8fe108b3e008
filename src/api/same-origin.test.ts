import { describe, expect, it } from 'vitest';
import { readSettings } from '#src/settings.ts';
import { isSameOrigin } from './same-origin.ts';

const [write, read] = [{ isProofRequired: true }, { isProofRequired: false }];
const own = 'https://shop.example';
const host = 'shop.internal:3000';

describe('same origin', () => {
  it.each([
    ['Sec-Fetch-Site: same-origin', true, true, { 'sec-fetch-site': 'same-origin' }],
    ['Sec-Fetch-Site: none, which is the address bar', false, true, { 'sec-fetch-site': 'none' }],
    ['Sec-Fetch-Site: same-site', false, false, { 'sec-fetch-site': 'same-site' }],
    ['Sec-Fetch-Site: cross-site', false, false, { 'sec-fetch-site': 'cross-site' }],
    ['both, which disagree', false, false, { 'sec-fetch-site': 'cross-site', origin: own }],
    ['Origin: ours', true, true, { origin: own }],
    ['Origin: null, as of a sandboxed frame', false, false, { origin: 'null' }],
    ['Origin: empty', false, false, { origin: '' }],
    ['Origin: another site', false, false, { origin: 'https://evil.example' }],
    ['Origin: ours as a prefix', false, false, { origin: `${own}.evil.example` }],
    ['Origin: ours over http', false, false, { origin: 'http://shop.example' }],
    ['Origin: the Host, behind https', false, false, { origin: `http://${host}`, host }],
    ['neither header', false, true, {}],
  ])('%s: accepted for a write %s, for a read %s', (_, forWrite, forRead, headers) => {
    const settings = readSettings({ PUBLIC_URL: own, PAYMENTS: 'sandbox' });
    const sent = new Headers(headers as Record<string, string>);
    expect([isSameOrigin(settings, sent, write), isSameOrigin(settings, sent, read)]).toEqual([
      forWrite,
      forRead,
    ]);
  });

  it('without https, accepts the Host too, because developers use several', () => {
    const settings = readSettings({ PUBLIC_URL: 'http://127.0.0.1:3000' });
    const accepts = (origin: string) => isSameOrigin(settings, new Headers({ origin, host }), write);
    expect([`http://${host}`, 'http://127.0.0.1:3000', `https://${host}`, 'null'].map(accepts)).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(isSameOrigin(settings, new Headers({ origin: 'http://', host: '' }), write)).toBe(false);
  });
});
