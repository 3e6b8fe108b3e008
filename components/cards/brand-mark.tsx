import type { CardObject } from '#src/api/schemas.ts';

/** Our own drawing, not the brand's trademark. */
export function BrandMark({
  brand,
  className = 'h-6 w-9',
}: {
  brand: CardObject['brand'];
  className?: string;
}) {
  return (
    <svg viewBox="0 0 36 24" aria-hidden="true" className={`shrink-0 ${className}`}>
      <rect x="0.5" y="0.5" width="35" height="23" rx="4" className="fill-raised stroke-line-firm" />
      {brand === 'unknown' ? <UnknownMark /> : <Letters brand={brand} />}
    </svg>
  );
}

const letters: Record<Exclude<CardObject['brand'], 'unknown'>, string> = {
  visa: 'VISA',
  mastercard: 'MC',
  amex: 'AMEX',
  discover: 'DISC',
  diners: 'DC',
  jcb: 'JCB',
  unionpay: 'UP',
};

function Letters({ brand }: { brand: Exclude<CardObject['brand'], 'unknown'> }) {
  return (
    <text
      x="18"
      y="15.2"
      textAnchor="middle"
      className="fill-ink font-sans text-[9px] font-bold tracking-tight"
    >
      {letters[brand]}
    </text>
  );
}

function UnknownMark() {
  return (
    <g className="fill-line-firm">
      <rect x="0.5" y="6" width="35" height="4" />
      <rect x="5" y="15" width="10" height="2.5" rx="1" />
    </g>
  );
}
