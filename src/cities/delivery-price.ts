import { distanceMiles, isInside, type Position } from '#src/geo/position.ts';

/** An item of a city's stored price table: up to `mile` miles, `amount` dollars on top of the base price. */
export type PriceItem = { mile: number; amount: number };

/** A delivery over at most `milesMax` miles, and over more than the step before, costs `priceCents` in all. */
export type PriceStep = { milesMax: number; priceCents: number };

/** A city's price table, by rising distance. Beyond the last step, there is no price. */
export function priceSteps({
  basePriceCents,
  deliveryPrices,
}: {
  basePriceCents: number;
  deliveryPrices: string;
}) {
  const { items } = JSON.parse(deliveryPrices) as { items: PriceItem[] };
  return items
    .map(({ mile, amount }): PriceStep => {
      return { milesMax: mile, priceCents: basePriceCents + Math.round(amount * 100) };
    })
    .toSorted((a, b) => a.milesMax - b.milesMax);
}

/** @returns the step that prices a distance; undefined beyond the last */
export function priceStepFor(steps: readonly PriceStep[], miles: number): PriceStep | undefined {
  return steps.find(({ milesMax }) => milesMax >= miles);
}

export type PointCheck = {
  point: Position;
  isInside: boolean;
  /** From the city's center, as deliveries are measured. */
  distanceMiles: number;
  /** The price of a delivery there, null beyond the last step of the price table. */
  priceCents: number | null;
};

/** Whether deliveries reach a point, and for how much. Runs in the browser too: a device's position does not leave it. */
export function checkPoint(
  point: Position,
  area: { ring: readonly Position[]; center: Position; priceSteps: readonly PriceStep[] },
): PointCheck {
  const miles = distanceMiles(area.center, point);
  return {
    point,
    isInside: isInside(point, area.ring),
    distanceMiles: miles,
    priceCents: priceStepFor(area.priceSteps, miles)?.priceCents ?? null,
  };
}
