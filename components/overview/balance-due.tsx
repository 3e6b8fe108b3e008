import type { PayoutObject } from '#src/api/operations/get-payout.ts';
import { dollarsOf } from '#src/money.ts';
import { classNames } from '../ui/class-names.ts';
import { DateWithZone, formatMonth } from '../ui/dates.tsx';
import { RefreshBalance } from './refresh-balance.tsx';

type BalanceDueProps = { payout: PayoutObject; hasScheduled: boolean; refreshPage: () => Promise<void> };

/**
 * Shows what the page was rendered with, as the rest of the page does. Rendered on the server, because a browser may not know the
 * city's time zone.
 * @param props.hasScheduled whether transactions of the month have yet to take effect
 */
export function BalanceDue({ payout, hasScheduled, refreshPage }: BalanceDueProps) {
  const { amount_cents, credit_cents, period_end, timezone } = payout;
  const amount = dollarsOf(amount_cents);
  return (
    <div className="@container">
      <RefreshBalance payout={payout} refreshPage={refreshPage} />
      <p
        className={classNames(
          'font-semibold tracking-tight tabular-nums',
          // `$1,234,567.89` and more would break within the amount.
          amount.length > 12 ? 'text-long-amount' : 'text-amount',
        )}
      >
        {amount}
      </p>
      <p className="mt-2">
        {credit_cents ? (
          `You have a ${dollarsOf(credit_cents)} credit. Nothing is due for ${formatMonth(payout.period_start, timezone)}.`
        ) : amount_cents === 0 ? (
          `Nothing is due for ${formatMonth(payout.period_start, timezone)}.`
        ) : (
          <>
            Due <DateWithZone instant={new Date(Date.parse(period_end) - 1000)} timeZone={timezone} />
          </>
        )}
      </p>
      {amount_cents > 0 && hasScheduled && (
        <p className="mt-1 text-muted">Includes transactions scheduled through that date.</p>
      )}
    </div>
  );
}
