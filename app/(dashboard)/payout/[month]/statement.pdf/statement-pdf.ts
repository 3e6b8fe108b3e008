import { findPackageJSON } from 'node:module';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import PDFDocument from 'pdfkit';
import { openMonthNote, periodName, statementLines } from '#components/payout/statement.tsx';
import { transactionTypeNames } from '#components/payout/transactions-url.ts';
import { formatDate, monthTitle } from '#components/ui/dates.tsx';
import type { Session } from '#src/api/session.ts';
import { dollarsOf } from '#src/money.ts';
import type { StatementView } from '../read.ts';

type Document = InstanceType<typeof PDFDocument>;

/** In points. */
const margin = 54;
const pageWidth = 612 - 2 * margin;

type Column = { width: number; align?: 'right' };

const columns: (Column & { name: string })[] = [
  { name: 'Date', width: 68 },
  { name: 'Description', width: 176 },
  { name: 'Reference', width: 84 },
  { name: 'Type', width: 92 },
  { name: 'Amount', width: 84, align: 'right' },
];
const summaryColumns: Column[] = [{ width: pageWidth / 2 }, { width: pageWidth / 2, align: 'right' }];
const gap = 8;

/** @param operator the name at the top of the document */
export async function statementPdf(
  operator: string,
  { customer, city }: Pick<Session, 'customer' | 'city'>,
  statement: StatementView,
): Promise<Uint8Array<ArrayBuffer>> {
  const { month, bounds, timeZone, now } = statement;
  const title = `Statement for ${monthTitle(month)}`;
  const document = new PDFDocument({
    size: 'LETTER',
    margin,
    bufferPages: true,
    lang: 'en-US',
    displayTitle: true,
    info: { Title: `${title}, ${customer.name}`, Author: operator },
  });
  const file = bytesOf(document);
  write(document, operator, { isBold: true }).moveDown(1.5);
  write(document, title, { size: 20, isBold: true }).moveDown(0.3);
  write(document, periodName(bounds, timeZone)).moveDown(1.2);
  for (const line of [
    customer.name,
    `${customer.firstName} ${customer.lastName}`,
    customer.email,
    city.name,
  ]) {
    write(document, line);
  }
  document.moveDown(1.5);
  for (const { name, amount, isBalance = false } of statementLines(statement)) {
    row(document, summaryColumns, [name, amount], { isBold: isBalance });
  }
  const note = openMonthNote(bounds.end, now, timeZone);
  if (note) write(document.moveDown(0.5), note, { size: 8 });
  document.moveDown(1.5);
  if (statement.entries === null)
    write(
      document,
      'This month has too many transactions to list here. Download the CSV file for the full list.',
    );
  else if (statement.entries.length > 0) await table(document, statement, statement.entries);
  numberPages(document, `${customer.name}, ${monthTitle(month)}`);
  document.end();
  return file;
}

/** Laying out a row takes up to a millisecond. */
const rowsPerTurn = 10;

async function table(
  document: Document,
  { timeZone, now }: StatementView,
  entries: NonNullable<StatementView['entries']>,
) {
  const names = columns.map(({ name }) => name);
  const head = () => row(document, columns, names, { isBold: true });
  head();
  for (const [index, { takesEffectAt, description, reference, kind, amountCents }] of entries.entries()) {
    if (index % rowsPerTurn === 0) await setImmediate();
    const type = transactionTypeNames[kind] + (takesEffectAt > now ? ', scheduled' : '');
    const texts = [formatDate(takesEffectAt, timeZone), description, reference, type, dollarsOf(amountCents)];
    row(document, columns, texts, { onNewPage: head });
  }
}

type RowOptions = { isBold?: boolean; onNewPage?: () => void };

function row(document: Document, columns: Column[], texts: string[], options: RowOptions): void {
  const { isBold = false, onNewPage } = options;
  const style = { size: 9, isBold };
  const cells = columns.map((column, index) => ({ ...column, text: texts[index] ?? '' }));
  const heights = cells.map(({ text, width }) =>
    font(document, text, style).heightOfString(text, { width: width - gap, ...lineOptions(text) }),
  );
  const height = Math.max(...heights);
  if (document.y + height > document.page.height - margin) {
    document.addPage();
    onNewPage?.();
  }
  const { y } = document;
  let x = margin;
  for (const { text, width, align = 'left' } of cells) {
    font(document, text, style).text(text, x, y, {
      width: align === 'right' ? width : width - gap,
      align,
      ...lineOptions(text),
    });
    x += width;
  }
  const bottom = y + height + 4;
  document
    .moveTo(margin, bottom)
    .lineTo(margin + pageWidth, bottom)
    .lineWidth(0.5)
    .strokeColor('#d5d5d0')
    .stroke();
  document.x = margin;
  document.y = bottom + 5;
}

type Style = { size?: number; isBold?: boolean };

function write(document: Document, text: string, style: Style = {}): Document {
  return font(document, text, style).text(text, margin, document.y, {
    width: pageWidth,
    ...lineOptions(text),
  });
}

/** Whether all letters are Hebrew or Arabic, and there are no digits. */
const isRightToLeft = (text: string) => /^[[\p{Script=Hebrew}\p{Script=Arabic}\P{L}]--\p{N}]+$/v.test(text);

/**
 * pdfkit places words from left to right, one at a time. With `features`, it lays out a line as a whole, but in one direction, so
 * right-to-left words in a line with other letters or digits stay in the wrong order.
 */
const lineOptions = (text: string) => (isRightToLeft(text) ? { features: [] } : {});

/** Not by `require.resolve`, for which Next would bundle the fonts. */
const fonts = path.join(findPackageJSON('dejavu-fonts-ttf', import.meta.url) ?? '', '..', 'ttf');

/** The PDF standard fonts, which are not embedded, have only the characters of Windows-1252. */
const isStandard = (text: string) => /^[\x20-\x7e\xa0-\xff€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]*$/.test(text);

function font(document: Document, text: string, { size = 10, isBold = false }: Style): Document {
  const name = isStandard(text)
    ? `Helvetica${isBold ? '-Bold' : ''}`
    : path.join(fonts, `DejaVuSans${isBold ? '-Bold' : ''}.ttf`);
  return document.font(name).fontSize(size);
}

function numberPages(document: Document, name: string): void {
  const { count } = document.bufferedPageRange();
  if (count < 2) return;
  for (let page = 0; page < count; page++) {
    document.switchToPage(page);
    // Below the margin, text would start another page.
    document.page.margins.bottom = 0;
    const text = `${name}, page ${page + 1} of ${count}`;
    font(document, text, { size: 8 }).text(text, margin, document.page.height - 36, {
      width: pageWidth,
      align: 'right',
    });
  }
}

async function bytesOf(document: Document): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  for await (const chunk of document) chunks.push(chunk as Buffer);
  return new Uint8Array(Buffer.concat(chunks));
}
