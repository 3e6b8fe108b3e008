import type { Metadata } from 'next';
import { CardRows } from '#components/cards/card-rows.tsx';
import { SameAccount } from '#components/layout/app-shell.tsx';
import { AccountAlerts } from '#components/overview/account-alerts.tsx';
import { BalanceDue } from '#components/overview/balance-due.tsx';
import { BalanceSketch } from '#components/payout/balance-sketch.tsx';
import { TransactionsTable } from '#components/payout/transactions-table.tsx';
import { ProfileSummary } from '#components/profile/profile-details.tsx';
import { AreaMap } from '#components/service-area/area-map.tsx';
import { areaSentence } from '#components/service-area/area-summary.tsx';
import { StaticMap } from '#components/service-area/static-map.tsx';
import { buttonClass } from '#components/ui/button.tsx';
import { PageLink } from '#components/ui/page-link.tsx';
import { Empty, PageHeader, Panel } from '#components/ui/panel.tsx';
import { presentCard } from '#src/api/schemas.ts';
import { services } from '#src/api/services.ts';
import { monthIn } from '#src/cards/default-card.ts';
import type { CityWithoutOutline } from '#src/cities/city.ts';
import { listEntries } from '#src/ledger/list-entries.ts';
import { dollarsOf } from '#src/money.ts';
import { type CityMap, cityMapOf } from './city-map.ts';
import { hasScheduled, readPayoutMonth, transactionsOf } from './ledger.ts';
import { refreshPage } from './refresh-page.ts';
import { requireSession } from './session.ts';

export const metadata: Metadata = { title: 'Overview' };

const recentMax = 5;

export default async function OverviewPage() {
  const { customerId, customer, city, ...session } = await requireSession();
  const cards = session.cards.map(presentCard);
  const now = new Date();
  const currentMonth = monthIn(city.timezone);
  const [map, { plot, payout }, recent] = await Promise.all([
    cityMapOf(city),
    readPayoutMonth(customerId, session.payout, now),
    listEntries(services().db, customerId, { until: now, limit: recentMax }),
  ]);
  return (
    <>
      <SameAccount customerId={customerId} />
      <PageHeader title="Overview" />
      <AccountAlerts
        initialCards={cards}
        now={currentMonth}
        isEmailConfirmed={customer.isEmailConfirmed}
        inactiveCity={city.isActive ? null : city.name}
      />
      <div className="grid items-start gap-4 sm:gap-6 desk:grid-cols-2">
        <Panel
          id="balance-due"
          title="Balance due"
          action={<More href="/payout" to="payout" />}
          className="desk:col-span-2"
        >
          <div className="grid gap-x-10 gap-y-6 sm:grid-cols-2">
            <BalanceDue payout={payout} hasScheduled={hasScheduled(plot)} refreshPage={refreshPage} />
            <div className="max-sm:hidden">
              <BalanceSketch {...plot} />
            </div>
          </div>
        </Panel>
        <div className="contents gap-6 desk:grid">
          <Panel id="cards" title="Cards" action={<More href="/cards" to="cards" />}>
            <div className="grid gap-5">
              <CardRows initialCards={cards} now={currentMonth} />
              <PageLink href="/cards#add-card" className={buttonClass('primary', 'justify-self-start')}>
                Add a card
              </PageLink>
            </div>
          </Panel>
          <Panel
            id="area"
            title="Service area"
            action={<More href="/service-area" to="service area" />}
            className="max-desk:order-last"
          >
            <ServiceAreaMap city={city} {...map} />
          </Panel>
        </div>
        <div className="contents gap-6 desk:grid">
          <Panel
            id="recent-transactions"
            title="Recent transactions"
            action={<More href="/payout#transactions" to="transactions" />}
          >
            {recent.entries.length === 0 ? (
              <Empty title="No transactions yet">
                Deliveries, credits, and payments appear here as soon as they take effect.
              </Empty>
            ) : (
              <TransactionsTable
                caption="Recent transactions, latest first"
                {...transactionsOf(recent.entries, city.timezone, now)}
              />
            )}
          </Panel>
          <Panel id="profile" title="Profile" action={<More href="/profile" to="profile" />}>
            <ProfileSummary customer={customer} />
          </Panel>
        </div>
      </div>
    </>
  );
}

function ServiceAreaMap({ city, area, backgroundMap, ...map }: CityMap & { city: CityWithoutOutline }) {
  const label = `Map of the service area around ${city.name}`;
  return (
    <>
      <div className="relative isolate h-64 max-h-[70svh] overflow-hidden rounded-control border border-line sm:h-80">
        <AreaMap
          {...map}
          simplifiedRing={area.simplified}
          center={area.center}
          cityName={city.name}
          label={label}
        >
          <StaticMap area={area} backgroundMap={backgroundMap} label={label} />
        </AreaMap>
      </div>
      <p className="mt-3 text-muted">
        {areaSentence(city, area)}
        {city.isActive && ` Deliveries start at ${dollarsOf(city.basePriceCents)}.`}
      </p>
    </>
  );
}

function More({ href, to }: { href: string; to: string }) {
  return (
    <PageLink href={href} className="link text-muted hover:text-ink">
      View {to}
    </PageLink>
  );
}
