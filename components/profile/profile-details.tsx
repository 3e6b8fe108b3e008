import type { City } from '#src/cities/city.ts';
import type { Customer } from '#src/customers/customer.ts';
import { formatDate } from '../ui/dates.tsx';
import { type Fact, Facts } from '../ui/description-list.tsx';
import { Badge } from '../ui/notice.tsx';

type ProfileSummaryProps = { customer: Customer };
type ProfileFactsProps = ProfileSummaryProps & { city: City };

/** What one looks up most: who, and how they are reached. */
export function ProfileSummary({ customer }: ProfileSummaryProps) {
  return <Facts facts={contactFacts(customer)} />;
}

/** The whole record, in words. */
export function ProfileFacts({ customer, city }: ProfileFactsProps) {
  return <Facts facts={[...contactFacts(customer), ...accountFacts({ customer, city })]} />;
}

function contactFacts(customer: Customer): Fact[] {
  return [
    { name: 'Account', value: `${customer.name} (${customer.profileType.toLowerCase()})` },
    { name: 'Contact', value: `${customer.firstName} ${customer.lastName}` },
    { name: 'E-mail', value: <Email customer={customer} /> },
    { name: 'Phone', value: <span className="tabular-nums">{phoneNumber(customer)}</span> },
  ];
}

function Email({ customer }: ProfileSummaryProps) {
  const hostAt = customer.email.lastIndexOf('@') + 1;
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <span>
        {/* What does not fit goes on after the @; in a part, only where that does not fit alone. */}
        <span className="inline-block">{customer.email.slice(0, hostAt)}</span>
        <span className="inline-block">{customer.email.slice(hostAt)}</span>
      </span>
      {customer.isEmailConfirmed ? (
        <Badge tone="good">Confirmed</Badge>
      ) : (
        <Badge tone="warn">Not confirmed</Badge>
      )}
    </span>
  );
}

function accountFacts({ customer, city }: ProfileFactsProps): Fact[] {
  const { timezone } = city;
  return [
    { name: 'User name', value: <span className="font-mono">{customer.username}</span> },
    { name: 'Customer number', value: <span className="font-mono">{customer.id}</span> },
    { name: 'City', value: `${city.name}, ${city.countyName}` },
    {
      name: 'Status',
      value: <Badge tone={customer.status === 'Active' ? 'good' : 'bad'}>{customer.status}</Badge>,
    },
    { name: 'Roles', value: customer.roles.map(roleName).join(', ') },
    { name: 'Customer since', value: formatDate(customer.createdAt, timezone) },
    { name: 'Last changed', value: formatDate(customer.updatedAt, timezone) },
    { name: 'Last sign-in from', value: <span className="font-mono">{customer.clientIp}</span> },
  ];
}

/** `Customer` for `ROLE_CUSTOMER`. */
function roleName(role: string): string {
  const words = role
    .replace(/^ROLE_/, '')
    .replaceAll('_', ' ')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** `+1 (916) 555-0142` in North America; elsewhere the country code and the number as it was given. */
function phoneNumber({ countryCode, phone }: Pick<Customer, 'countryCode' | 'phone'>): string {
  const parts = /^(\d{3})(\d{3})(\d{4})$/.exec(phone.replace(/\D/g, ''));
  if (countryCode === '1' && parts) return `+1 (${parts[1]}) ${parts[2]}-${parts[3]}`;
  return `+${countryCode} ${phone}`;
}
