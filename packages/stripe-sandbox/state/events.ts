/** The events that webhooks carry, written in the transaction of what they tell. */
import type { Stripe } from 'stripe';
import { newId, nowSeconds } from '../api/ids.ts';
import { API_VERSION } from '../api/version.ts';
import type { Store } from './store.ts';

export type EventType =
  | 'payment_method.attached'
  | 'payment_method.detached'
  | 'payment_method.updated'
  | 'payment_method.automatically_updated'
  | 'customer.deleted';

export type EventOccasion = {
  type: EventType;
  object: Stripe.PaymentMethod | Stripe.Customer;
  /** The values of what changed, from before. */
  previous?: object;
  /** The API request that caused it; none for what happens at the issuer or in the dashboard. */
  request?: { id: string; idempotency_key: string | null };
};

/** An event as it is stored and sent: the SDK's type, without its link of each type to its object. */
export type StoredEvent = Stripe.EventBase & { type: EventType };

export type EventState = { event: StoredEvent; attempts: number; isDelivered: boolean; isGivenUp: boolean };

/** @returns the stored event; it is sent at the next round of deliveries */
export function recordEvent(store: Store, occasion: EventOccasion): StoredEvent {
  const event: StoredEvent = {
    id: newId('evt'),
    object: 'event',
    api_version: API_VERSION,
    created: nowSeconds(),
    data: {
      object: occasion.object as unknown as Stripe.Event.Data.Object,
      ...(occasion.previous ? { previous_attributes: occasion.previous } : {}),
    },
    livemode: false,
    pending_webhooks: 1,
    request: occasion.request ?? { id: null, idempotency_key: null },
    type: occasion.type,
  };
  store.database
    .prepare('INSERT INTO events (id, json, next_attempt_ms) VALUES (?, ?, ?)')
    .run(event.id, JSON.stringify(event), Date.now());
  return event;
}

/** @returns every event, the oldest first */
export function listEvents(store: Store): EventState[] {
  const rows = store.database.prepare('SELECT * FROM events ORDER BY sequence').all();
  return rows.map((row) => ({
    event: JSON.parse(String(row.json)),
    attempts: Number(row.attempts),
    isDelivered: row.delivered === 1,
    isGivenUp: row.delivered === 0 && row.next_attempt_ms === null,
  }));
}
