import { Notice } from '../ui/notice.tsx';
import { SupportContact } from '../ui/support-contact.tsx';

export function UnconfirmedEmailNotice() {
  return (
    <Notice tone="warn" title="Your email address isn’t confirmed.">
      Contact <SupportContact /> to resend the confirmation email.
    </Notice>
  );
}
