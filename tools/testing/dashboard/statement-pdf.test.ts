import { setImmediate as nextTurn } from 'node:timers/promises';
import PDFDocument from 'pdfkit';
import { expect, test, vi } from 'vitest';
import { statementPdf } from '#app/(dashboard)/payout/[month]/statement.pdf/statement-pdf.ts';
import type { Session } from '#src/api/session.ts';

const session = {
  customer: { name: 'Market Street Grocery', firstName: 'Ann', lastName: 'Lee', email: 'ann@example.com' },
  city: { name: 'San Francisco' },
} as Session;

test('statement: other requests have their turn while 500 transactions are laid out', async () => {
  const takesEffectAt = new Date('2026-11-15T12:00:00Z');
  const entries = Array.from({ length: 500 }, (_, id) => ({
    ...{ id, kind: 'delivery' as const, amountCents: 100n, takesEffectAt, reverses: null, reversedBy: null },
    ...{ description: `Delivery ${id}`, reference: `INV-${id}` },
  }));
  const bounds = { start: new Date('2026-11-01T08:00:00Z'), end: new Date('2026-12-01T08:00:00Z') };
  const addPage = vi.spyOn(PDFDocument.prototype, 'addPage');
  let isDone = false;
  const file = statementPdf('Example', session, {
    ...{ month: '2026-11', openingCents: 0n, totals: [], entries, closingCents: 50_000n },
    ...{ bounds, timeZone: 'America/Los_Angeles', now: takesEffectAt },
  }).finally(() => {
    isDone = true;
  });
  const pagesByTurn: number[] = [];
  while (!isDone) {
    pagesByTurn.push(addPage.mock.calls.length);
    addPage.mockClear();
    await nextTurn();
  }
  expect(Buffer.from((await file).subarray(0, 5)).toString()).toBe('%PDF-');
  expect(pagesByTurn.reduce((sum, pages) => sum + pages, 0)).toBeGreaterThan(10);
  expect(Math.max(...pagesByTurn)).toBe(1);
});
