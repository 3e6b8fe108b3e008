import type { Metadata } from 'next';
import { SameAccount } from '#components/layout/app-shell.tsx';
import { openMonthNote, periodName, SummaryTable, statementLines } from '#components/payout/statement.tsx';
import { TransactionsTable } from '#components/payout/transactions-table.tsx';
import { csvUrl } from '#components/payout/transactions-url.ts';
import { ProfileSummary } from '#components/profile/profile-details.tsx';
import { monthTitle } from '#components/ui/dates.tsx';
import { PageLink } from '#components/ui/page-link.tsx';
import { Empty, PageHeader, Panel } from '#components/ui/panel.tsx';
import { services } from '#src/api/services.ts';
import { transactionsOf } from '../../ledger.ts';
import { requireSession } from '../../session.ts';
import { type StatementView, statementOf } from './read.ts';

type StatementPageProps = PageProps<'/payout/[month]'>;

export async function generateMetadata({ params }: StatementPageProps): Promise<Metadata> {
  const { month } = await statementOf(await requireSession(), (await params).month);
  return { title: `Statement ${month}` };
}

/** The statement of a month, which prints as a document of its own. */
export default async function StatementPage({ params }: StatementPageProps) {
  const session = await requireSession();
  const statement = await statementOf(session, (await params).month);
  const { customer } = session;
  const { month, bounds, timeZone, now } = statement;
  const note = openMonthNote(bounds.end, now, timeZone);
  return (
    <>
      <SameAccount customerId={session.customerId} />
      <p className="mb-4 hidden font-semibold print:block">{services().settings.SERVICE_NAME}</p>
      <p className="mb-4 print:hidden">
        <PageLink href="/payout" className="link">
          Back to payout
        </PageLink>
      </p>
      <PageHeader
        title={`Statement for ${monthTitle(month)}`}
        action={<Downloads customerId={session.customerId} month={month} />}
      >
        {periodName(bounds, timeZone)}
      </PageHeader>
      <div className="grid gap-4 sm:gap-6">
        <div className="grid items-start gap-4 sm:gap-6 desk:grid-cols-2 print:grid-cols-2">
          <Panel id="account" title="Account">
            <ProfileSummary customer={customer} />
          </Panel>
          <Panel id="summary" title="Summary">
            <SummaryTable
              caption="Opening balance, totals by type, and closing balance"
              lines={statementLines(statement)}
            />
            {note && <p className="mt-3 text-small text-muted">{note}</p>}
          </Panel>
        </div>
        <Panel id="transactions" title="Transactions">
          <Transactions statement={statement} />
        </Panel>
      </div>
    </>
  );
}

/** With the customer of the page. See `downloadSession`. */
function Downloads({ customerId, month }: { customerId: number; month: string }) {
  return (
    <p className="flex flex-wrap gap-x-5 print:hidden">
      <a
        href={`/payout/${month}/statement.pdf?customer=${customerId}`}
        className="hit inline-flex items-center"
      >
        <span className="link">Download PDF</span>
      </a>
      <a href={csvUrl(customerId, { month })} className="hit inline-flex items-center">
        <span className="link">Download CSV</span>
      </a>
    </p>
  );
}

function Transactions({ statement: { month, entries, timeZone, now } }: { statement: StatementView }) {
  if (entries === null)
    return <Empty title="Too many to list here">Download the CSV file for the full list.</Empty>;
  if (entries.length === 0) return <Empty title={`No transactions in ${monthTitle(month)}`} />;
  return (
    <TransactionsTable caption="Transactions, earliest first" {...transactionsOf(entries, timeZone, now)} />
  );
}
