import type { Metadata } from 'next';
import { AddCard } from '#components/cards/add-card.tsx';
import { monthIn } from '#components/cards/card-format.ts';
import { CardList } from '#components/cards/card-list.tsx';
import { AccountAlerts } from '#components/overview/account-alerts.tsx';
import { BalanceDue } from '#components/overview/balance-due.tsx';
import { DefaultCard } from '#components/overview/default-card.tsx';
import { ServiceAreaPanel } from '#components/overview/service-area-panel.tsx';
import { ProfileSummary } from '#components/profile/profile-details.tsx';
import { PageLink } from '#components/ui/page-link.tsx';
import { PageHeader, Panel } from '#components/ui/panel.tsx';
import { presentCard } from '#src/api/schemas/card.ts';
import { presentPayout } from '#src/api/schemas/payout.ts';
import { backgroundMapUrl } from '#src/geo/background-map.ts';
import { cityMapOf } from './city-map.ts';
import { requireSession } from './session.ts';
import { stripeConfig } from './stripe-config.ts';

export const metadata: Metadata = { title: 'Overview' };

export default async function OverviewPage() {
  const { customer, city, payout, ...session } = await requireSession();
  const cards = session.cards.map(presentCard);
  const { area, background, tiles } = await cityMapOf(city);
  const now = monthIn(city.timezone);
  return (
    <>
      <PageHeader title="Overview">{`${customer.name}, ${city.name}`}</PageHeader>
      <AccountAlerts
        initialCards={cards}
        now={now}
        isEmailConfirmed={customer.isEmailConfirmed}
        inactiveCity={city.isActive ? null : city.name}
      />
      <div className="grid gap-4 sm:gap-6 desk:grid-cols-12">
        <Panel
          id="balance-due"
          title="Balance due"
          action={<More href="/payout" to="payout" />}
          className="desk:col-span-12"
        >
          <div className="grid gap-x-10 gap-y-6 sm:grid-cols-[1fr_minmax(16rem,20rem)]">
            <BalanceDue initialPayout={presentPayout(payout).payout} />
            <DefaultCard initialCards={cards} now={now} />
          </div>
        </Panel>
        <Panel
          id="cards"
          title="Cards"
          action={<More href="/cards" to="cards" />}
          className="desk:col-span-7"
        >
          <div className="grid gap-5">
            <CardList layout="rows" initialCards={cards} now={now} />
            <AddCard heading="h3" config={await stripeConfig()} />
          </div>
        </Panel>
        <Panel
          id="profile"
          title="Profile"
          action={<More href="/profile" to="profile" />}
          className="desk:col-span-5"
        >
          <ProfileSummary customer={customer} />
        </Panel>
        <Panel
          id="area"
          title="Service area"
          action={<More href="/service-area" to="service area" />}
          className="desk:col-span-12"
        >
          <ServiceAreaPanel
            city={city}
            area={area}
            backgroundMap={background.map}
            backgroundMapUrl={backgroundMapUrl(background)}
            tiles={tiles}
          />
        </Panel>
      </div>
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
