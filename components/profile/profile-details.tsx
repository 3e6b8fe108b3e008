import type { ReactNode } from 'react';
import type { CityWithoutOutline } from '#src/cities/city.ts';
import type { Customer } from '#src/customers/get-customer.ts';
import { capitalize } from '#src/text.ts';
import { formatDate } from '../ui/dates.tsx';
import { Badge } from '../ui/notice.tsx';

export function ProfileSummary({ customer }: { customer: Customer }) {
  return <DescriptionList items={contactItems(customer)} />;
}

export function ProfileDetails({ customer, city }: { customer: Customer; city: CityWithoutOutline }) {
  return <DescriptionList items={[...contactItems(customer), ...accountItems(customer, city)]} />;
}

function contactItems(customer: Customer): DescriptionItem[] {
  return [
    { name: 'Name', value: `${customer.name} (${customer.profileType.toLowerCase()})` },
    { name: 'Contact', value: `${customer.firstName} ${customer.lastName}` },
    { name: 'Email', value: <Email customer={customer} /> },
    { name: 'Phone', value: <span className="tabular-nums">{phoneNumber(customer)}</span> },
  ];
}

function Email({ customer }: { customer: Customer }) {
  const hostAt = customer.email.lastIndexOf('@') + 1;
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <span>
        {/* Wraps after the @ first. */}
        <span className="inline-block">{customer.email.slice(0, hostAt)}</span>
        <span className="inline-block">{customer.email.slice(hostAt)}</span>
      </span>
      {customer.isEmailConfirmed ? (
        <Badge tone="good" className="print:hidden">
          Confirmed
        </Badge>
      ) : (
        <Badge tone="warn">Not confirmed</Badge>
      )}
    </span>
  );
}

function accountItems(customer: Customer, city: CityWithoutOutline): DescriptionItem[] {
  return [
    { name: 'Username', value: <span className="font-mono">{customer.username}</span> },
    { name: 'Customer ID', value: <span className="font-mono">{customer.id}</span> },
    { name: 'City', value: `${city.name}, ${city.countyName}` },
    {
      name: 'Status',
      value: <Badge tone={customer.status === 'Active' ? 'good' : 'bad'}>{customer.status}</Badge>,
    },
    { name: 'Roles', value: customer.roles.map(roleName).join(', ') },
    { name: 'Customer since', value: formatDate(customer.createdAt, city.timezone) },
    { name: 'Last updated', value: formatDate(customer.updatedAt, city.timezone) },
    { name: 'Last sign-in IP address', value: <span className="font-mono">{customer.clientIp}</span> },
  ];
}

/** `Customer` for `ROLE_CUSTOMER`. */
function roleName(role: string): string {
  const name = role
    .replace(/^ROLE_/, '')
    .replaceAll('_', ' ')
    .toLowerCase();
  return capitalize(name);
}

/** `+1 (916) 555-0142` in North America, otherwise as stored. */
function phoneNumber({ countryCode, phone }: Pick<Customer, 'countryCode' | 'phone'>): string {
  const parts = /^(\d{3})(\d{3})(\d{4})$/.exec(phone.replace(/\D/g, ''));
  if (countryCode === '1' && parts) return `+1 (${parts[1]}) ${parts[2]}-${parts[3]}`;
  return `+${countryCode} ${phone}`;
}

type DescriptionItem = { name: string; value: ReactNode };

function DescriptionList({ items }: { items: DescriptionItem[] }) {
  return (
    <dl className="divide-y divide-line">
      {items.map(({ name, value }) => (
        <div key={name} className="grid gap-x-4 py-2.5 first:pt-0 last:pb-0 sm:grid-cols-[max(5rem,20%)_1fr]">
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
