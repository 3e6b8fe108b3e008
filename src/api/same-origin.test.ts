import { describe, expect, it } from 'vitest';
import { readSettings } from '#src/settings.ts';
import { isSameOrigin } from './same-origin.ts';

const [write, read] = [{ isProofRequired: true }, { isProofRequired: false }];
const own = 'https://shop.example';
const host = 'shop.internal:3000';

describe('same origin', () => {
  it.each([
    ['Sec-Fetch-Site: same-origin', { 'sec-fetch-site': 'same-origin' }, true, true],
    ['Sec-Fetch-Site: none, which is the address bar', { 'sec-fetch-site': 'none' }, false, true],
    ['Sec-Fetch-Site: same-site', { 'sec-fetch-site': 'same-site' }, false, false],
    ['Sec-Fetch-Site: cross-site', { 'sec-fetch-site': 'cross-site' }, false, false],
    ['both, which disagree', { 'sec-fetch-site': 'cross-site', origin: own }, false, false],
    ['Origin: ours', { origin: own }, true, true],
    ['Origin: null, as of a sandboxed frame', { origin: 'null' }, false, false],
    ['Origin: empty', { origin: '' }, false, false],
    ['Origin: another site', { origin: 'https://evil.example' }, false, false],
    ['Origin: ours as a prefix', { origin: `${own}.evil.example` }, false, false],
    ['Origin: ours over http', { origin: 'http://shop.example' }, false, false],
    ['Origin: the Host, behind https', { origin: `http://${host}`, host }, false, false],
    ['neither header', {}, false, true],
  ])('%s: accepted for a write %s, for a read %s', (_, headers, forWrite, forRead) => {
    const settings = readSettings({ PUBLIC_URL: own });
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
  });
});
