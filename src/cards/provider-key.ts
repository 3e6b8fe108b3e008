/**
 * The idempotency key of one step of an operation at the provider: the same for every retry, and new after a failure
 * that the provider keeps for the key. Made of random or once-only parts, so that two databases sharing one provider
 * account never meet.
 */
export function providerKey(step: 'pm' | 'si' | 'det', card: { uuid: string; attempt: number }): string {
  return withAttempt(`${step}:${card.uuid}`, card.attempt);
}

export function providerCustomerKey(customer: { id: number; createdAt: Date }, attempt: number): string {
  return withAttempt(`cus:${customer.id}:${customer.createdAt.getTime()}`, attempt);
}

function withAttempt(key: string, attempt: number): string {
  return attempt === 0 ? key : `${key}:${attempt}`;
}
