import type { LatLng } from '#src/geo/geometry.ts';
import { formatCents } from '../ui/money.tsx';
import { Notice } from '../ui/notice.tsx';
import { useSupportContact } from '../ui/support-contact.tsx';
import { SupportText } from '../ui/support-text.tsx';
import { agreedMiles, measuredMiles } from './miles.ts';
import { pointText } from './typed-point.ts';

export type PointAnswer = {
  point: LatLng;
  isInside: boolean;
  /** Nothing is delivered in the whole city for now. */
  isStopped: boolean;
  /** From the center, as deliveries are measured. */
  distanceMiles: number;
  /** Of a delivery there; null beyond the last step of the price table. */
  priceCents: number | null;
};

type PointAnswerProps = { answer: PointAnswer; cityName: string; lastMile: number };

/** Whether deliveries reach a point, how far it is and what they cost. */
export function PointAnswerNotice({ answer, cityName, lastMile }: PointAnswerProps) {
  const { point, isInside, isStopped, distanceMiles, priceCents } = answer;
  const contact = useSupportContact();
  return (
    <Notice
      tone={isInside && !isStopped && priceCents !== null ? 'good' : 'warn'}
      title={isInside ? 'Inside the service area' : 'Outside the service area'}
    >
      <p>
        <span className="tabular-nums">{pointText(point)}</span> is {measuredMiles(distanceMiles)} from the
        center of {cityName}.{' '}
        <SupportText text={priceSentence(answer, lastMile, contact)} contact={contact} />
      </p>
    </Notice>
  );
}

function priceSentence(
  { isInside, isStopped, priceCents }: PointAnswer,
  lastMile: number,
  contact: string,
): string {
  if (!isInside) return 'Deliveries don’t go there.';
  if (isStopped) return 'Deliveries there are stopped for now.';
  if (priceCents !== null) return `A delivery there costs ${formatCents(priceCents)}.`;
  return `The price table ends at ${agreedMiles(lastMile)}, so a delivery there has no set price: ask ${contact} for one.`;
}
