import { createHash } from 'node:crypto';
import Stripe from 'stripe';
import type { Settings } from '#src/settings.ts';
import { traceHeaders } from '#src/tracing.ts';
import {
  type CardProvider,
  type CardSetup,
  type PostalCodeCheck,
  type ProviderCard,
  ProviderError,
  postalCodeChecks,
} from './provider.ts';
import { mapReadErrors, mapStripeErrors } from './stripe-errors.ts';
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
    httpClient: tracingClient(),
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

/** The SDK's own client, in the trace of our request. */
function tracingClient(): ReturnType<typeof Stripe.createNodeHttpClient> {
  const client = Stripe.createNodeHttpClient();
  const send = client.makeRequest.bind(client);
  client.makeRequest = (host, port, path, method, headers, ...rest) =>
    send(host, port, path, method, { ...headers, ...traceHeaders() }, ...rest);
  return client;
}

/** Far more than the cards that a customer can have here. */
const listedCardsMax = 1_000;

export function createCardProvider(stripe: Stripe): CardProvider {
  // With its customer, because a payment method keeps the ID of a customer that was deleted.
  const retrieve = (id: string) =>
    mapReadErrors(() => stripe.paymentMethods.retrieve(id, { expand: ['customer'] }));
  // With its latest attempt, which says how the cardholder ended the bank's challenge.
  const findSetup = (id: string) =>
    mapReadErrors(async () => {
      const read = stripe.setupIntents.retrieve(id, { expand: ['latest_attempt', 'payment_method'] });
      return toSetup(await read.catch(denyIfMissing('setup_unknown')));
    });
  const isCustomerDeleted = (id: string) =>
    mapReadErrors(async () => {
      // Stripe still returns a customer that was deleted.
      const customer = await stripe.customers.retrieve(id).catch(denyIfMissing('customer_unknown'));
      return customer.deleted === true;
    });
  return {
    createCustomer: ({ customerId, email, name, idempotencyKey }) =>
      mapStripeErrors(false, async () => {
        const params = { name, metadata: { customer_id: String(customerId) } };
        const create = (sent: Stripe.CustomerCreateParams) =>
          stripe.customers.create(sent, { idempotencyKey: keyFor(sent, idempotencyKey) });
        const created = await create({ email, ...params }).catch((error) => {
          // Stripe accepts fewer addresses than we do, and a card can be added without one.
          if (hasCode(error, 'email_invalid')) return create(params);
          throw error;
        });
        return created.id;
      }),

    isCustomerDeleted,

    deleteCustomer: async (providerCustomerId) => {
      await mapStripeErrors(false, () =>
        stripe.customers.del(providerCustomerId).catch(async (error) => {
          // Deleted before, or of another account, which this throws for.
          if (!hasCode(error, 'resource_missing') || !(await isCustomerDeleted(providerCustomerId)))
            throw error;
        }),
      );
    },

    cardOfToken: (token, idempotencyKey) =>
      mapStripeErrors(true, async () =>
        token.startsWith('pm_')
          ? toCard(await retrieve(token))
          : toCard(await stripe.paymentMethods.create({ type: 'card', card: { token } }, { idempotencyKey })),
      ),

    findCard: (paymentMethodId) => orNull(retrieve(paymentMethodId).then(toCard)),

    listCards: (providerCustomerId) =>
      mapStripeErrors(true, async () => {
        const page = stripe.customers.listPaymentMethods(providerCustomerId, { type: 'card', limit: 100 });
        return (await page.autoPagingToArray({ limit: listedCardsMax })).map(toCard);
      }).catch((error) => {
        if (!(error instanceof ProviderError)) throw error;
        if (error.kind === 'token' || error.reason === 'customer_missing') return [];
        throw error;
      }),

    saveCard: ({ providerCustomerId, paymentMethodId, idempotencyKey }) =>
      mapStripeErrors(true, async () => {
        const intent = await stripe.setupIntents.create(
          {
            customer: providerCustomerId,
            payment_method: paymentMethodId,
            confirm: true,
            usage: 'off_session',
            use_stripe_sdk: true,
            automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
            expand: ['payment_method'],
          },
          { idempotencyKey },
        );
        // https://docs.stripe.com/api/idempotent_requests
        const isReplayed = intent.lastResponse.headers['idempotent-replayed'] === 'true';
        return { ...(isReplayed ? await findSetup(intent.id) : toSetup(intent)), isReplayed };
      }),

    findSetup,

    cancelSetup: (setupIntentId) =>
      mapStripeErrors(true, async () => {
        try {
          return toSetup(
            await stripe.setupIntents.cancel(setupIntentId, { cancellation_reason: 'abandoned' }),
          );
        } catch (error) {
          if (!hasCode(error, 'setup_intent_unexpected_state', 'resource_missing')) throw error;
          return findSetup(setupIntentId);
        }
      }),

    detachCard: async (paymentMethodId, idempotencyKey) => {
      const detach = () => stripe.paymentMethods.detach(paymentMethodId, {}, { idempotencyKey });
      await orNull(mapStripeErrors(true, detach));
    },
  };
}

/** Stripe rejects an idempotency key that is reused with other parameters, and a customer's name and email can change. */
function keyFor(params: object, key: string): string {
  const hash = createHash('sha256').update(JSON.stringify(params)).digest('hex');
  return `${key}:${hash.slice(0, 16)}`;
}

/** @returns a function that throws: an object whose ID we have stored can only be missing because our key is another account's */
function denyIfMissing(reason: string): (error: unknown) => never {
  return (error) => {
    if (!hasCode(error, 'resource_missing')) throw error;
    throw new ProviderError('denied', reason, false, { cause: error });
  };
}

function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Stripe.errors.StripeInvalidRequestError && codes.includes(error.code ?? '');
}

/** @returns null when the provider does not know the object, or can no longer use it */
async function orNull<T>(call: Promise<T>): Promise<T | null> {
  return call.catch((error) => {
    if (error instanceof ProviderError && error.kind === 'token') return null;
    throw error;
  });
}

/** @throws ProviderError unavailable while the provider processes it */
function toSetup({
  id,
  status,
  next_action,
  client_secret,
  last_setup_error,
  latest_attempt,
  payment_method: method,
}: Stripe.SetupIntent): CardSetup {
  if (status === 'processing') throw new ProviderError('unavailable', 'in_flight', false);
  if (status === 'succeeded') {
    return {
      status: 'succeeded',
      paymentMethodId: typeof method === 'string' ? method : (method?.id ?? null),
      postalCodeCheck: typeof method === 'string' ? null : postalCodeCheckOf(method),
    };
  }
  if (status === 'canceled') return { status: 'canceled' };
  if (status === 'requires_action' && next_action && client_secret) {
    return { status: 'action_required', setupIntentId: id, clientSecret: client_secret };
  }
  const { decline_code, code } = last_setup_error ?? {};
  if (code === 'setup_intent_authentication_failure')
    return { status: 'failed', reason: unfinishedChallenge(latest_attempt) ?? code };
  return { status: 'failed', reason: decline_code || code || 'authentication_required' };
}

/**
 * Stripe.js reports a challenge that the cardholder left exactly as one that the bank rejected. Only the attempt tells them apart.
 * https://docs.stripe.com/api/setup_attempts/object
 */
function unfinishedChallenge(attempt: Stripe.SetupIntent['latest_attempt']): string | null {
  if (attempt === null || typeof attempt === 'string') return null;
  const reason = attempt.payment_method_details.card?.three_d_secure?.result_reason;
  return reason === 'canceled' || reason === 'abandoned' ? `authentication_${reason}` : null;
}

function postalCodeCheckOf(method: Stripe.PaymentMethod | null): PostalCodeCheck | null {
  const check = method?.card?.checks?.address_postal_code_check;
  return postalCodeChecks.find((known) => known === check) ?? null;
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
    postalCodeCheck: postalCodeCheckOf(method),
    expMonth: card.exp_month,
    expYear: card.exp_year,
  };
}
