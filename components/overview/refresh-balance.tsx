'use client';

import { useQuery } from '@tanstack/react-query';
import type { PayoutObject, PayoutResponse } from '#src/api/operations/get-payout.ts';
import { callApi } from '../api.ts';

type RefreshBalanceProps = { payout: PayoutObject; refreshPage: () => Promise<void> };

const versionOf = ({ amount_cents, credit_cents, period_start }: PayoutObject) =>
  [amount_cents, credit_cents, period_start].join();

/** Renders the page again when the balance has changed. */
export function RefreshBalance({ payout, refreshPage }: RefreshBalanceProps) {
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
  return null;
}
