import type { listCustomers, showCustomer } from '#src/customers/get-customer.ts';
import { formatInstant } from '#src/instant.ts';
import { keyValueLines, localTime, table } from './output.ts';

type ListedCustomer = Awaited<ReturnType<typeof listCustomers>>[number];
type CustomerDetails = Awaited<ReturnType<typeof showCustomer>>;

/** Uses the API's field names. */
export function listedDocument({ customer, citySlug }: ListedCustomer) {
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
    created_at: formatInstant(customer.createdAt),
    updated_at: formatInstant(customer.updatedAt),
  };
}

export function customerDocument({ customer, city, secrets }: CustomerDetails) {
  return {
    ...listedDocument({ customer, citySlug: city.slug }),
    client_ip: customer.clientIp,
    secrets: secrets.map((secret) => ({
      id: secret.id,
      created_at: formatInstant(secret.createdAt),
      expires_at: secret.expiresAt && formatInstant(secret.expiresAt),
      last_used_at: secret.lastUsedAt && formatInstant(secret.lastUsedAt),
    })),
  };
}

export function customerLines({ customer, city, secrets }: CustomerDetails): string[] {
  const local = (instant: Date) => localTime(instant, city.timezone);
  return [
    ...keyValueLines({
      username: customer.username,
      name: customer.name,
      status: customer.status,
      contact: `${customer.firstName} ${customer.lastName}`,
      email: `${customer.email}${customer.isEmailConfirmed ? '' : ' (not confirmed)'}`,
      phone: `+${customer.countryCode} ${customer.phone}`,
      profile: customer.profileType,
      city: `${city.slug} (${city.timezone})`,
      'API key': customer.apiKey,
      created: local(customer.createdAt),
      'client IP': customer.clientIp,
    }),
    '',
    ...(secrets.length === 0
      ? ['No active secrets. Issue one with: operator secret rotate']
      : table(secrets, {
          secret: ({ id }) => id,
          issued: ({ createdAt }) => local(createdAt),
          'last used': ({ lastUsedAt }) => (lastUsedAt ? local(lastUsedAt) : 'never'),
          expires: ({ expiresAt }) => (expiresAt ? local(expiresAt) : 'when revoked'),
        })),
  ];
}
