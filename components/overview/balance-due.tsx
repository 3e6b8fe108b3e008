'use client';

import { useQuery } from '@tanstack/react-query';
import type { PayoutObject, PayoutResponse } from '#src/api/operations/get-payout.ts';
import { dollarsOf } from '#src/money.ts';
import { callApi } from '../api.ts';
import { classNames } from '../ui/class-names.ts';
import { DateWithZone, formatMonth } from '../ui/dates.tsx';

type BalanceDueProps = { payout: PayoutObject; hasScheduled: boolean; refreshPage: () => Promise<void> };

const versionOf = ({ amount_cents, credit_cents, period_start }: PayoutObject) =>
  [amount_cents, credit_cents, period_start].join();

/**
 * Shows what the page was rendered with, as the rest of the page does, and renders it again when the balance has changed.
 * @param props.hasScheduled whether transactions of the month have yet to take effect
 */
export function BalanceDue({ payout, hasScheduled, refreshPage }: BalanceDueProps) {
  const shown = versionOf(payout);
  useQuery({
    queryKey: ['payout', shown],
    queryFn: async ({ signal }) => {
      const { payout: latest } = await callApi<PayoutResponse>('customers/payout', { signal });
      if (versionOf(latest) !== shown) await refreshPage();
      return latest;
    },
    initialData: payout,
  });
  const { amount_cents, credit_cents, period_end, timezone } = payout;
  const amount = dollarsOf(amount_cents);
  return (
    <div className="@container">
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
        <p className="mt-1 text-muted">Includes deliveries scheduled through that date.</p>
      )}
    </div>
  );
}
