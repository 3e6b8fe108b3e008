import type { Metadata } from 'next';
import { SameAccount } from '#components/layout/app-shell.tsx';
import { PageLink } from '#components/ui/page-link.tsx';
import { PageHeader } from '#components/ui/panel.tsx';
import { requireSession } from '../../session.ts';

export const metadata: Metadata = { title: 'Statement not found' };

/** Shown inside the dashboard's layout. */
export default async function StatementNotFound() {
  const { customerId } = await requireSession();
  return (
    <>
      <SameAccount customerId={customerId} />
      <PageHeader title="Statement not found">
        There’s no statement for this month. To choose another one, go to{' '}
        <PageLink href="/payout" className="link">
          payout
        </PageLink>
        .
      </PageHeader>
    </>
  );
}
