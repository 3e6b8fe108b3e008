import type { Metadata } from 'next';
import { ProfileDetails } from '#components/profile/profile-details.tsx';
import { Notice } from '#components/ui/notice.tsx';
import { PageHeader, Panel } from '#components/ui/panel.tsx';
import { SupportText } from '#components/ui/support-text.tsx';
import { services } from '#src/api/services.ts';
import { requireSession } from '../session.ts';

export const metadata: Metadata = { title: 'Profile' };

export default async function ProfilePage() {
  const { customer, city } = await requireSession();
  const { SUPPORT_CONTACT } = services().settings;
  return (
    <>
      <PageHeader title="Profile">
        <SupportText
          text={`Your account details. To make changes, contact ${SUPPORT_CONTACT}.`}
          contact={SUPPORT_CONTACT}
        />
      </PageHeader>
      <div className="grid max-w-3xl gap-6">
        {!customer.isEmailConfirmed && (
          <Notice tone="warn" title="Your email address isn’t confirmed.">
            <SupportText
              text={`Contact ${SUPPORT_CONTACT} to resend the confirmation email.`}
              contact={SUPPORT_CONTACT}
            />
          </Notice>
        )}
        <Panel id="record" title="Account">
          <ProfileDetails customer={customer} city={city} />
        </Panel>
      </div>
    </>
  );
}
