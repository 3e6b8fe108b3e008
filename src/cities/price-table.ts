import { isRecord } from '#src/geo/read-service-area.ts';
import { amountProblem, centsOf } from '#src/money.ts';
import type { PriceItem } from './delivery-price.ts';

const itemsMax = 200;
const milesMax = 25_000;
const centsMax = 10_000_000n;

/**
 * Reads a price table from an import file.
 * @param input `{"items":[{"mile":3,"amount":0},…]}` as an object or as its JSON text
 * @returns the items by rising mile, or what is wrong with them
 */
export function readPriceTable(input: unknown): PriceItem[] | string {
  const table = typeof input === 'string' ? parsed(input) : input;
  if (!isRecord(table) || !Array.isArray(table.items)) {
    return 'Must be {"items":[{"mile":number,"amount":number},…]}, as an object or as its JSON text.';
  }
  const { items } = table;
  if (items.length === 0) return 'Must have at least one item.';
  if (items.length > itemsMax) return `Must have at most ${itemsMax} items.`;
  const read: PriceItem[] = [];
  for (const [index, item] of items.entries()) {
    const problem = itemProblem(item, read);
    if (problem) return `item ${index}: ${problem}`;
    read.push({ mile: item.mile, amount: item.amount });
  }
  return read.toSorted((a, b) => a.mile - b.mile);
}

function itemProblem(item: unknown, before: PriceItem[]): string | undefined {
  if (!isRecord(item)) return 'must be {"mile":number,"amount":number}.';
  const { mile, amount } = item;
  if (typeof mile !== 'number' || !(mile > 0 && mile <= milesMax)) {
    return `"mile" must be a number greater than 0 and at most ${milesMax}.`;
  }
  if (before.some((other) => other.mile === mile)) return `"mile" ${mile} appears twice.`;
  return typeof amount === 'number' ? priceProblem(amount) : '"amount" must be a number in dollars.';
}

/** @returns what is wrong with a price in dollars, or undefined */
export function priceProblem(dollars: number): string | undefined {
  const problem = amountProblem(String(dollars));
  if (problem) return `a price must be in dollars with at most two decimal places.`;
  const cents = centsOf(String(dollars));
  if (cents < 0n) return 'a price can’t be negative.';
  return cents > centsMax ? 'the maximum price is $100,000.' : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
