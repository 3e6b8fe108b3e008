import { Notice } from '../ui/notice.tsx';
import { SupportContact } from '../ui/support-contact.tsx';

export function InactiveCityNotice({ cityName, className }: { cityName: string; className?: string }) {
  return (
    <Notice tone="warn" title={`Deliveries in ${cityName} are paused.`} className={className}>
      Contact <SupportContact /> to find out when they’ll resume.
    </Notice>
  );
}
