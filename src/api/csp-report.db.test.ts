import { beforeEach, describe, expect, it, type Mock, vi } from 'vitest';
import { call, testService, writtenByService } from '#tools/testing/api.ts';
import { cspReportPath } from './csp-report.ts';
import { countCspReport } from './rate-limits.ts';
import { services } from './services.ts';

const service = await testService();
let warn: Mock;
beforeEach(() => {
  warn = vi.spyOn(services().log, 'warn') as unknown as Mock;
});

const target = { path: cspReportPath, method: 'POST' };
let senders = 0;
const send = (body: unknown, type = 'application/csp-report', address?: string) => {
  senders += 1;
  const headers = { 'Content-Type': type, 'x-forwarded-for': address ?? `10.9.0.${senders}` };
  return call(target, null, { body, headers });
};
const events = () => warn.mock.calls.filter(([, message]) => message === 'security').map(([event]) => event);
const report = (blockedUri: string, directive = 'script-src-elem', page = 'http://127.0.0.1/cards') => ({
  'csp-report': { 'document-uri': page, 'effective-directive': directive, 'blocked-uri': blockedUri },
});

describe('CSP reports', () => {
  it('are logged as security events, in both formats', async () => {
    expect((await send(report('https://evil.example/skim.js?q=1'))).status).toBe(204);
    const body = {
      effectiveDirective: 'connect-src',
      blockedURL: 'inline',
      documentURL: 'http://127.0.0.1/',
    };
    const batch = [{ type: 'csp-violation', age: 1, url: 'http://127.0.0.1/', body }];
    expect((await send(batch, 'application/reports+json')).status).toBe(204);
    const shared = { event: 'csp.violated', channel: 'dashboard', requestId: expect.any(String) };
    const { log = '' } = await writtenByService(service);
    expect(log).toContain('"reason":"script-src-elem","blocked":"https","isPaymentPage":true');
    expect(events()).toEqual([
      { ...shared, address: '10.9.0.1', reason: 'script-src-elem', blocked: 'https', isPaymentPage: true },
      { ...shared, address: '10.9.0.2', reason: 'connect-src', blocked: 'inline', isPaymentPage: false },
    ]);
  });

  it('log no text of the sender', async () => {
    const text = 'attacker\u001b[2J4242';
    await send(report(`${text}:x`, text, `https://${'a'.repeat(9)}.example/${text}`));
    expect(events()).toMatchObject([{ reason: 'other', blocked: 'other', isPaymentPage: false }]);
    expect(JSON.stringify(warn.mock.calls)).not.toContain('attacker');
  });

  it.each([
    ['{', 'application/csp-report', 400],
    ['{}', 'application/csp-report', 400],
    ['[]', 'application/reports+json', 400],
    [JSON.stringify(report('x')), 'text/plain', 415],
    [JSON.stringify(report('x'.repeat(20_000))), 'application/csp-report', 413],
    [JSON.stringify(Array(21).fill({ type: 'csp-violation', body: {} })), 'application/reports+json', 400],
  ])('that are invalid are refused: %.20s of %s with %i', async (body, type, status) => {
    expect((await send(body, type)).status).toBe(status);
    expect(events()).toEqual([]);
  });

  it('are not taken for too many when the limit cannot be counted', async () => {
    const failure = new Error('The store failed.');
    const { cspReports } = services().rateLimits;
    vi.spyOn(cspReports, 'consume').mockRejectedValueOnce(failure);
    await expect(countCspReport(services().rateLimits, '10.9.1.1')).rejects.toBe(failure);
  });

  it('of one network are limited, and those of others are not', async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 22; n += 1) {
      statuses.push((await send(report('inline'), 'application/csp-report', '2001:db8::1')).status);
    }
    expect(statuses).toEqual([...Array(20).fill(204), 429, 429]);
    expect(events()).toHaveLength(20);
    expect((await send(report('inline'), 'application/csp-report', '2001:db8::2')).status).toBe(429);
    expect((await send(report('inline'), 'application/csp-report', '2001:db8:0:1::1')).status).toBe(204);
  });
});
