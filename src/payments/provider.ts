/** Whether the postal code is the one that the bank knows: `unavailable` if the bank does not say, `unchecked` before it was asked. */
export type PostalCodeCheck = (typeof postalCodeChecks)[number];
export const postalCodeChecks = ['pass', 'fail', 'unavailable', 'unchecked'] as const;

export type ProviderCard = {
  paymentMethodId: string;
  /** The provider's customer that the card is attached to, if any and not deleted. */
  attachedTo: string | null;
  fingerprint: string | null;
  last4: string | null;
  brand: string | null;
  funding: string | null;
  addressCountry: string | null;
  addressZip: string | null;
  isApplePayCard: boolean;
  postalCodeCheck: PostalCodeCheck | null;
  expMonth: number | null;
  expYear: number | null;
};

/**
 * The state of a card's setup at the provider. `succeeded` and `canceled` are final. One that `failed` has
 * attached nothing, but until it is canceled, its client secret can confirm it with any payment method.
 */
export type CardSetup =
  | { status: 'succeeded'; paymentMethodId: string | null; postalCodeCheck: PostalCodeCheck | null }
  | { status: 'canceled' }
  /** The cardholder's browser passes the secret to the provider's library, so that the bank can authenticate them. */
  | { status: 'action_required'; setupIntentId: string; clientSecret: string }
  | { status: 'failed'; reason: string };

/** Two databases can share an account of the provider and have customers with the same ID, so the time tells them apart. */
export type ProviderCustomerOwner = { customerId: number; createdAt: Date };

/** The interface of the payment provider. Every call may throw a ProviderError. */
export type CardProvider = {
  /**
   * @param input.idempotencyKey used together with what is sent: another name or email makes another customer
   * @returns the provider's id of the new customer
   */
  createCustomer(
    input: ProviderCustomerOwner & { email: string; name: string; idempotencyKey: string },
  ): Promise<string>;
  /**
   * All customers that were created for ours, also those whose creation did not return. A new one is found within a
   * minute, or an hour while the provider has an outage.
   */
  findCustomers(owner: ProviderCustomerOwner): Promise<string[]>;
  /** Deletes the customer with its cards. One that is unknown or deleted counts as deleted. */
  deleteCustomer(providerCustomerId: string): Promise<void>;
  /** @throws ProviderError denied when the provider has never known the customer, so our key is another account's */
  isCustomerDeleted(providerCustomerId: string): Promise<boolean>;
  /** Turns a token into a payment method; for a `pm_…` only reads it. */
  cardOfToken(token: string, idempotencyKey: string): Promise<ProviderCard>;
  /** @returns null when there is no such payment method */
  findCard(paymentMethodId: string): Promise<ProviderCard | null>;
  /** The cards that are attached to a customer of the provider; none when that customer is unknown or deleted. */
  listCards(providerCustomerId: string): Promise<ProviderCard[]>;
  /**
   * Has the bank check the card and attaches it, without a charge, unless the bank wants the cardholder to authenticate first.
   * @returns the current state; `isReplayed` if an earlier call made it, so that the card may be detached by now
   */
  saveCard(input: {
    providerCustomerId: string;
    paymentMethodId: string;
    idempotencyKey: string;
  }): Promise<CardSetup & { isReplayed: boolean }>;
  /** @throws ProviderError denied when the account does not have the setup intent, so our key is another account's */
  findSetup(setupIntentId: string): Promise<CardSetup>;
  /**
   * Cancels what the cardholder did not authenticate. A setup that has ended stays as it is.
   * @returns the state afterward
   * @throws ProviderError like `findSetup`
   */
  cancelSetup(setupIntentId: string): Promise<CardSetup>;
  /** Detaches permanently. A card that is not attached or does not exist counts as detached. */
  detachCard(paymentMethodId: string, idempotencyKey: string): Promise<void>;
};

/**
 * - `card`: declined or invalid; `reason` has the cause
 * - `token`: the token or payment method is unknown, or was already used
 * - `unavailable`: unreachable or failed; a retry can succeed
 * - `misuse`: our request was invalid and had no effect
 * - `denied`: our key is wrong, has expired, or lacks a permission
 */
type ProviderErrorKind = 'card' | 'token' | 'unavailable' | 'misuse' | 'denied';

export class ProviderError extends Error {
  override name = 'ProviderError';
  readonly kind: ProviderErrorKind;
  /** The provider's decline code if there is one, or else its error code. */
  readonly reason: string;
  /** The provider replays this failure for the idempotency key, so a retry needs a new key. */
  readonly isStored: boolean;

  /** By name, because Next's bundles have copies of this class and share the provider that throws it. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === 'ProviderError';
  }

  constructor(kind: ProviderErrorKind, reason: string, isStored: boolean, options?: ErrorOptions) {
    super(`${kind}: ${reason}`, options);
    this.kind = kind;
    this.reason = reason;
    this.isStored = isStored;
  }
}

/** An object that the provider does not know is denied too, but does not keep others from being worked on. */
export function isKeyRejected(error: unknown): boolean {
  return error instanceof ProviderError && error.kind === 'denied' && !error.reason.endsWith('_unknown');
}

/** An event and the ID of its object, which is read again, because events can be repeated and out of order. */
export type ProviderEvent = { id: string; type: string; objectId: string | null };
