import type { Metadata } from 'next';
import { readPreferences } from '#app/preferences.ts';
import { SameAccount } from '#components/layout/app-shell.tsx';
import { OpenSessions } from '#components/profile/open-sessions.tsx';
import { Preferences } from '#components/profile/preferences.tsx';
import { ProfileDetails } from '#components/profile/profile-details.tsx';
import { UnconfirmedEmailNotice } from '#components/profile/unconfirmed-email-notice.tsx';
import { PageHeader, Panel } from '#components/ui/panel.tsx';
import { SupportContact } from '#components/ui/support-contact.tsx';
import { services } from '#src/api/services.ts';
import { listSessions } from '#src/api/session-queries.ts';
import { requireSession } from '../session.ts';

export const metadata: Metadata = { title: 'Profile' };

export default async function ProfilePage() {
  const { customerId, customer, city, idHash } = await requireSession();
  const { SESSION_IDLE_MINUTES } = services().settings;
  const sessions = await listSessions(services().db, customerId, SESSION_IDLE_MINUTES);
  return (
    <>
      <SameAccount customerId={customerId} />
      <PageHeader title="Profile">
        Your account details. To make changes, contact <SupportContact />.
      </PageHeader>
      <div className="grid gap-6">
        {!customer.isEmailConfirmed && <UnconfirmedEmailNotice />}
        <Panel id="record" title="Account">
          <ProfileDetails customer={customer} city={city} />
        </Panel>
        <Panel id="preferences" title="Preferences for this browser">
          <Preferences {...(await readPreferences())} />
        </Panel>
        <Panel id="sessions" title="Active sessions">
          <OpenSessions
            customerId={customerId}
            sessions={sessions.map(({ idHash: other, ...session }) => ({
              ...session,
              id: other.toString('hex'),
              isCurrent: other.equals(idHash),
            }))}
            timeZone={city.timezone}
            idleMinutes={SESSION_IDLE_MINUTES}
          />
        </Panel>
      </div>
    </>
  );
}
