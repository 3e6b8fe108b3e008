import type { Metadata } from 'next';
import { SameAccount } from '#components/layout/app-shell.tsx';
import { BalanceDue } from '#components/overview/balance-due.tsx';
import { type BalancePlotProps, balanceLine } from '#components/payout/balance-line.ts';
import { BalancePlot } from '#components/payout/balance-plot.tsx';
import { MonthsPlot } from '#components/payout/months-plot.tsx';
import { openingLines, SummaryTable, statementUrl } from '#components/payout/statement.tsx';
import { parseTransactionsQuery } from '#components/payout/transactions-query.ts';
import { monthTitle } from '#components/ui/dates.tsx';
import { PageLink } from '#components/ui/page-link.tsx';
import { PageHeader, Panel } from '#components/ui/panel.tsx';
import { services } from '#src/api/services.ts';
import { type MonthBalance, monthlyBalances } from '#src/ledger/monthly-balances.ts';
import { exactNumber } from '#src/money.ts';
import { hasScheduled, monthOf, readPayoutMonth } from '../ledger.ts';
import { refreshPage } from '../refresh-page.ts';
import { requireSession } from '../session.ts';
import { readTransactions } from './read-transactions.ts';
import { Transactions } from './transactions.tsx';

export const metadata: Metadata = { title: 'Payout' };

export default async function PayoutPage({ searchParams }: PageProps<'/payout'>) {
  const { customerId, customer, city, ...session } = await requireSession();
  const query = parseTransactionsQuery(await searchParams);
  const now = new Date();
  const [{ plot, totals, payout }, months, transactions] = await Promise.all([
    readPayoutMonth(customerId, session.payout, now),
    monthlyBalances(services().db, customerId, now),
    readTransactions(customerId, query),
  ]);
  return (
    <>
      <SameAccount customerId={customerId} />
      <p className="mb-4 hidden print:block">{`${services().settings.SERVICE_NAME} · ${customer.name}, ${city.name}`}</p>
      <PageHeader title="Payout">
        Your payout is the balance you owe at the end of the month. Here’s what’s in it.
      </PageHeader>
      <section
        aria-labelledby="balance-due"
        className="mb-8 grid items-start gap-x-10 gap-y-6 sm:grid-cols-2"
      >
        <div>
          <h2 id="balance-due" className="text-muted">
            Balance due
          </h2>
          <BalanceDue payout={payout} hasScheduled={hasScheduled(plot)} refreshPage={refreshPage} />
        </div>
        {(plot.openingCents !== 0 || totals.length > 0) && (
          <SummaryTable
            caption="Breakdown of the balance due"
            lines={openingLines(plot.openingCents, totals)}
          />
        )}
      </section>
      <Plots
        plot={plot}
        months={months}
        currentMonth={monthOf(session.payout)}
        firstMonth={transactions.first}
      />
      <Transactions {...transactions} customerId={customerId} timeZone={payout.timezone} query={query} />
    </>
  );
}

type PlotsProps = {
  plot: BalancePlotProps;
  months: MonthBalance[];
  currentMonth: string;
  /** With a transaction. */
  firstMonth: string | undefined;
};

function Plots({ plot, months, currentMonth, firstMonth }: PlotsProps) {
  return (
    <div className="grid gap-4 sm:gap-6 desk:grid-cols-12">
      <Panel
        id="this-month"
        title={monthTitle(currentMonth)}
        action={
          <PageLink href={statementUrl(currentMonth)} className="link text-muted hover:text-ink print:hidden">
            View statement
          </PageLink>
        }
        className="desk:col-span-7"
      >
        <BalancePlot {...plot} />
      </Panel>
      <Panel id="months" title="Last 12 months" className="desk:col-span-5">
        <MonthsPlot
          todayCents={balanceLine(plot).todayCents}
          firstMonth={firstMonth}
          months={months.map(({ month, balanceCents }) => ({
            month: month.slice(0, 7),
            balanceCents: exactNumber(balanceCents),
          }))}
        />
      </Panel>
    </div>
  );
}
