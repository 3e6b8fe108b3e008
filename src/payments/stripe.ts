import { hash } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import Stripe from 'stripe';
import { DomainError } from '#src/errors.ts';
import type { Settings } from '#src/settings.ts';
import { textProblem } from '#src/text.ts';
import { traceHeaders } from '#src/tracing.ts';
import {
  type CardProvider,
  type ProviderCustomerOwner,
  ProviderError,
  type ProviderEvent,
} from './provider.ts';
import { mapReadErrors, mapStripeErrors, toCard, toSetup } from './stripe-responses.ts';
import { noteProviderRequest } from './trace.ts';

/** Sends nothing before the first call. */
export function createStripe(
  { STRIPE_SECRET_KEY, STRIPE_API_BASE }: Pick<Settings, 'STRIPE_SECRET_KEY' | 'STRIPE_API_BASE'>,
  timeoutMs = 10_000,
): Stripe {
  if (!STRIPE_SECRET_KEY) throw new Error('STRIPE_SECRET_KEY is not set.');
  const base = STRIPE_API_BASE ? new URL(STRIPE_API_BASE) : undefined;
  // The SDK's own timeout begins when the connection has been made.
  const agent = { keepAlive: true, timeout: timeoutMs };
  const stripe = new Stripe(STRIPE_SECRET_KEY, {
    maxNetworkRetries: 1,
    timeout: timeoutMs,
    telemetry: false,
    httpClient: tracingClient(base?.protocol === 'http:' ? new http.Agent(agent) : new https.Agent(agent)),
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
function tracingClient(agent: http.Agent): ReturnType<typeof Stripe.createNodeHttpClient> {
  const client = Stripe.createNodeHttpClient(agent);
  const send = client.makeRequest.bind(client);
  client.makeRequest = (host, port, path, method, headers, ...rest) =>
    send(host, port, path, method, { ...headers, ...traceHeaders() }, ...rest);
  return client;
}

/** Far more than the cards, or customers at the provider, that a customer can have here. */
const listedMax = 1_000;

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
    createCustomer: ({ email, name, idempotencyKey, ...owner }) =>
      mapStripeErrors(false, async () => {
        const params = { name, metadata: metadataOf(owner) };
        const create = (sent: Stripe.CustomerCreateParams) =>
          stripe.customers.create(sent, { idempotencyKey: keyFor(sent, idempotencyKey) });
        const created = await create({ email, ...params }).catch((error) => {
          // Stripe accepts fewer addresses than we do, and a card can be added without one.
          if (hasCode(error, 'email_invalid')) return create(params);
          throw error;
        });
        return created.id;
      }),

    findCustomers: (owner) =>
      mapStripeErrors(false, async () => {
        const clauses = Object.entries(metadataOf(owner)).map(
          ([key, value]) => `metadata['${key}']:'${value}'`,
        );
        const page = stripe.customers.search({ query: clauses.join(' AND '), limit: 100 });
        return (await page.autoPagingToArray({ limit: listedMax })).map(({ id }) => id);
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
        return (await page.autoPagingToArray({ limit: listedMax })).map(toCard);
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

const metadataOf = ({ customerId, createdAt }: ProviderCustomerOwner) => ({
  customer_id: String(customerId),
  // Not as a number, which can look like that of a card.
  customer_created_at: createdAt.toISOString(),
});

/** Stripe rejects an idempotency key that is reused with other parameters, and a customer's name and email can change. */
function keyFor(params: object, key: string): string {
  return `${key}:${hash('sha256', JSON.stringify(params), 'hex').slice(0, 16)}`;
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

/**
 * @param rawBody as it was received, byte for byte
 * @param signature the `Stripe-Signature` header
 * @returns null when the signature is missing, invalid, or too old, or no signing secret is configured
 * @throws DomainError invalid_input when the signature is valid, but the body is not a snapshot event
 */
export type VerifyEvent = (rawBody: string, signature: string | null) => ProviderEvent | null;

/** @param secrets any of them may have signed an event, so that they can be rotated */
export function createEventVerifier(stripe: Stripe, ...secrets: (string | undefined)[]): VerifyEvent {
  return (rawBody, signature) => {
    for (const secret of secrets) {
      if (!secret || !signature) continue;
      try {
        return toEvent(stripe.webhooks.constructEvent(rawBody, signature, secret));
      } catch (error) {
        if (error instanceof Stripe.errors.StripeSignatureVerificationError) continue;
        // The cause can quote the body.
        throw new DomainError(
          'invalid_input',
          'The signature is valid, but the body is not a snapshot event.',
        );
      }
    }
    return null;
  };
}

function toEvent({ id, type, data }: Stripe.Event): ProviderEvent {
  const object = data?.object as { id?: string } | null | undefined;
  const objectId = object?.id ?? null;
  if (![id, type, objectId ?? ''].every(isStorable)) throw new TypeError('A text cannot be stored.');
  return { id, type, objectId };
}

/** Stripe's IDs have at most 255 characters: https://docs.stripe.com/upgrades */
const isStorable = (text: unknown) => typeof text === 'string' && textProblem(text, 255) === undefined;
