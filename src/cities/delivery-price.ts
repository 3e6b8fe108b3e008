/** A step of a city's price table: up to `mile` miles, `amount` dollars on top of the base price. */
export type PriceItem = { mile: number; amount: number };

/**
 * What a delivery costs over a distance: the base price plus the amount of the first step that reaches it.
 * @param deliveryPrices the city's JSON text, `{"items":[{"mile":3,"amount":0},…]}`, by rising mile
 * @returns cents, or null beyond the last step, where the city does not deliver
 */
export function deliveryPriceCents(
  basePriceCents: number,
  deliveryPrices: string,
  miles: number,
): number | null {
  const item = priceItems(deliveryPrices).find(({ mile }) => mile >= miles);
  return item ? basePriceCents + Math.round(item.amount * 100) : null;
}

/** The steps of a price table, by rising mile. */
export function priceItems(deliveryPrices: string): PriceItem[] {
  const { items } = JSON.parse(deliveryPrices) as { items: PriceItem[] };
  return items.toSorted((a, b) => a.mile - b.mile);
}
