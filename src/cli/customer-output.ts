import type { listCustomers, showCustomer } from '#src/customers/show-customer.ts';
import { facts, table } from './output.ts';
import { localTime, timestamp } from './timestamp.ts';

type Listed = Awaited<ReturnType<typeof listCustomers>>[number];
type Shown = Awaited<ReturnType<typeof showCustomer>>;

/** Named as the API's fields. */
export function listedDocument({ customer, citySlug }: Listed) {
  return {
    id: customer.id,
    username: customer.username,
    email: customer.email,
    is_active: customer.status === 'Active',
    status: customer.status,
    is_email_confirmed: customer.isEmailConfirmed,
    api_key: customer.apiKey,
    first_name: customer.firstName,
    last_name: customer.lastName,
    name: customer.name,
    country_code: customer.countryCode,
    phone: customer.phone,
    profile_type: customer.profileType,
    city: citySlug,
    created_at: timestamp(customer.createdAt),
    updated_at: timestamp(customer.updatedAt),
  };
}

export function customerDocument({ customer, city, secrets }: Shown) {
  const stamp = (at: Date | null) => (at ? timestamp(at) : null);
  return {
    ...listedDocument({ customer, citySlug: city.slug }),
    client_ip: customer.clientIp,
    secrets: secrets.map((secret) => ({
      id: secret.id,
      created_at: timestamp(secret.createdAt),
      expires_at: stamp(secret.expiresAt),
      last_used_at: stamp(secret.lastUsedAt),
    })),
  };
}

export function customerLines({ customer, city, secrets }: Shown): string[] {
  const local = (at: Date | null, otherwise: string) => (at ? localTime(at, city.timezone) : otherwise);
  return [
    ...facts([
      ['username', customer.username],
      ['name', customer.name],
      ['status', customer.status],
      ['contact', `${customer.firstName} ${customer.lastName}`],
      ['e-mail', `${customer.email}${customer.isEmailConfirmed ? '' : ' (not confirmed)'}`],
      ['phone', `+${customer.countryCode} ${customer.phone}`],
      ['profile', customer.profileType],
      ['city', `${city.slug} (${city.timezone})`],
      ['API key', customer.apiKey],
      ['since', local(customer.createdAt, '')],
      ['last sign-in from', customer.clientIp],
    ]),
    '',
    ...(secrets.length === 0
      ? ['No secret is valid. Issue one with: operator secret rotate']
      : table(
          ['secret', 'issued', 'last used', 'ends'],
          secrets.map((secret) => [
            String(secret.id),
            local(secret.createdAt, ''),
            local(secret.lastUsedAt, 'never'),
            local(secret.expiresAt, 'when revoked'),
          ]),
        )),
  ];
}
