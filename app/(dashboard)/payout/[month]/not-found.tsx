import type { Metadata } from 'next';
import { PageLink } from '#components/ui/page-link.tsx';
import { PageHeader } from '#components/ui/panel.tsx';

export const metadata: Metadata = { title: 'Statement not found' };

/** Shown inside the dashboard's layout. */
export default function StatementNotFound() {
  return (
    <PageHeader title="Statement not found">
      There’s no statement for this month. To choose another one, go to{' '}
      <PageLink href="/payout" className="link">
        payout
      </PageLink>
      .
    </PageHeader>
  );
}
