'use client';

import { useQuery } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useEffect } from 'react';
import type { PayoutObject, PayoutResponse } from '#src/api/operations/get-payout.ts';
import { dollarsOf } from '#src/money.ts';
import { callApi } from '../api.ts';
import { DateWithZone, formatMonth } from '../ui/dates.tsx';

type BalanceDueProps = { initialPayout: PayoutObject; hasScheduled: boolean };

const versionOf = ({ amount_cents, credit_cents, period_start }: PayoutObject) =>
  [amount_cents, credit_cents, period_start].join();

/** @param props.hasScheduled whether transactions of the month have yet to take effect */
export function BalanceDue({ initialPayout, hasScheduled }: BalanceDueProps) {
  const { data: payout } = useQuery({
    queryKey: ['payout'],
    queryFn: async ({ signal }) => (await callApi<PayoutResponse>('customers/payout', { signal })).payout,
    initialData: initialPayout,
  });
  const router = useRouter();
  const isNewer = versionOf(payout) !== versionOf(initialPayout);
  // What else the page says of the balance comes from the server.
  useEffect(() => {
    if (isNewer) router.refresh();
  }, [isNewer, router]);
  const { amount_cents, credit_cents, period_end, timezone } = payout;
  return (
    <div>
      <p className="text-amount font-semibold tracking-tight tabular-nums">{dollarsOf(amount_cents)}</p>
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
