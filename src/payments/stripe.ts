import { createHash } from 'node:crypto';
import Stripe from 'stripe';
import type { Settings } from '#src/settings.ts';
import { type CardProvider, type ProviderCard, ProviderError } from './provider.ts';
import { namingFailures } from './stripe-errors.ts';
import { noteProviderRequest } from './trace.ts';

/** Sends nothing before the first call. */
export function createStripe({
  STRIPE_SECRET_KEY,
  STRIPE_API_BASE,
}: Pick<Settings, 'STRIPE_SECRET_KEY' | 'STRIPE_API_BASE'>): Stripe {
  if (!STRIPE_SECRET_KEY) throw new Error('STRIPE_SECRET_KEY is not set.');
  const base = STRIPE_API_BASE ? new URL(STRIPE_API_BASE) : undefined;
  const stripe = new Stripe(STRIPE_SECRET_KEY, {
    maxNetworkRetries: 1,
    timeout: 10_000,
    telemetry: false,
    ...(base && {
      host: base.hostname,
      port: Number(base.port || (base.protocol === 'https:' ? 443 : 80)),
      protocol: base.protocol === 'https:' ? 'https' : 'http',
    }),
  });
  stripe.on('response', ({ request_id, status, elapsed }: Stripe.ResponseEvent) =>
    noteProviderRequest(request_id, status, elapsed),
  );
  return stripe;
}

/** Far more than the cards that a customer can have here. */
const listedCardsMax = 1_000;

export function createCardProvider(stripe: Stripe): CardProvider {
  // With its customer, because a payment method keeps the ID of a customer that was deleted.
  const retrieve = (id: string) => stripe.paymentMethods.retrieve(id, { expand: ['customer'] });
  return {
    createCustomer: ({ customerId, email, name, idempotencyKey }) =>
      namingFailures(false, async () => {
        const params = { name, metadata: { customer_id: String(customerId) } };
        const create = (sent: Stripe.CustomerCreateParams) =>
          stripe.customers.create(sent, { idempotencyKey: keyFor(sent, idempotencyKey) });
        const created = await create({ email, ...params }).catch((error) => {
          if (isEmailInvalid(error)) return create(params);
          throw error;
        });
        return created.id;
      }),

    cardOfToken: (token, idempotencyKey) =>
      namingFailures(true, async () =>
        token.startsWith('pm_')
          ? toCard(await retrieve(token))
          : toCard(await stripe.paymentMethods.create({ type: 'card', card: { token } }, { idempotencyKey })),
      ),

    findCard: (paymentMethodId) =>
      namingFailures(true, async () => toCard(await retrieve(paymentMethodId))).catch((error) => {
        if (error instanceof ProviderError && error.kind === 'token') return null;
        throw error;
      }),

    listCards: (providerCustomerId) =>
      namingFailures(true, async () => {
        const page = stripe.customers.listPaymentMethods(providerCustomerId, { type: 'card', limit: 100 });
        return (await page.autoPagingToArray({ limit: listedCardsMax })).map(toCard);
      }).catch((error) => {
        if (error instanceof ProviderError && error.kind === 'token') return [];
        throw error;
      }),

    saveCard: ({ providerCustomerId, paymentMethodId, idempotencyKey }) =>
      namingFailures(true, async () => {
        const intent = await stripe.setupIntents.create(
          {
            customer: providerCustomerId,
            payment_method: paymentMethodId,
            confirm: true,
            usage: 'off_session',
            automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
          },
          { idempotencyKey },
        );
        if (intent.status === 'processing') throw new ProviderError('unavailable', 'in_flight', false);
        if (intent.status !== 'succeeded') throw new ProviderError('card', 'authentication_required', true);
        // https://docs.stripe.com/api/idempotent_requests
        return { isReplayed: intent.lastResponse.headers['idempotent-replayed'] === 'true' };
      }),

    detachCard: (paymentMethodId, idempotencyKey) =>
      namingFailures(true, async () => {
        await stripe.paymentMethods.detach(paymentMethodId, {}, { idempotencyKey });
      }).catch((error) => {
        if (error instanceof ProviderError && error.kind === 'token') return;
        throw error;
      }),
  };
}

/** Stripe rejects an idempotency key that is reused with other parameters, and a customer's name and email can change. */
function keyFor(params: object, key: string): string {
  const hash = createHash('sha256').update(JSON.stringify(params)).digest('hex');
  return `${key}:${hash.slice(0, 16)}`;
}

/** Stripe accepts fewer addresses than we do, and a card can be added without one. */
function isEmailInvalid(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'email_invalid';
}

function attachedCustomer(customer: Stripe.PaymentMethod['customer']): string | null {
  if (typeof customer === 'string') return customer;
  return customer && !customer.deleted ? customer.id : null;
}

function toCard(method: Stripe.PaymentMethod): ProviderCard {
  const { card, billing_details: billing, customer } = method;
  if (!card) throw new ProviderError('token', 'not_a_card', true);
  return {
    paymentMethodId: method.id,
    attachedTo: attachedCustomer(customer),
    fingerprint: card.fingerprint ?? null,
    last4: card.last4,
    brand: card.brand,
    funding: card.funding,
    addressCountry: billing.address?.country ?? null,
    addressZip: billing.address?.postal_code ?? null,
    isApplePayCard: card.wallet?.type === 'apple_pay',
    expMonth: card.exp_month,
    expYear: card.exp_year,
  };
}
