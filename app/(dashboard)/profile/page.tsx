import type { Metadata } from 'next';
import { ProfileDetails } from '#components/profile/profile-details.tsx';
import { Notice } from '#components/ui/notice.tsx';
import { PageHeader, Panel } from '#components/ui/panel.tsx';
import { SupportText } from '#components/ui/support-text.tsx';
import { settings } from '#src/settings.ts';
import { requireSession } from '../session.ts';

export const metadata: Metadata = { title: 'Profile' };

export default async function ProfilePage() {
  const { customer, city } = await requireSession();
  const { SUPPORT_CONTACT } = settings();
  return (
    <>
      <PageHeader title="Profile">What we know of your account.</PageHeader>
      <div className="grid max-w-3xl gap-6">
        {!customer.isEmailConfirmed && (
          <Notice tone="warn" title="Your e-mail address is not confirmed.">
            <SupportText
              text={`Ask ${SUPPORT_CONTACT} to send you the confirmation again.`}
              contact={SUPPORT_CONTACT}
            />
          </Notice>
        )}
        <Panel id="record" title="Your record">
          <ProfileDetails customer={customer} city={city} />
        </Panel>
        <p className="text-muted">
          <SupportText
            text={`To have something changed, write to ${SUPPORT_CONTACT}.`}
            contact={SUPPORT_CONTACT}
          />
        </p>
      </div>
    </>
  );
}
