/** Events: recorded with the change they describe, and sent to the webhook, signed, until it returns a 2xx status. */
import { createHmac } from 'node:crypto';
import type { Stripe } from 'stripe';
import { newId, nowSeconds } from './api/operation.ts';
import { API_VERSION } from './api/request-headers.ts';
import type { Store } from './state/store.ts';

type EventType =
  | 'payment_method.attached'
  | 'payment_method.detached'
  | 'payment_method.updated'
  | 'payment_method.automatically_updated'
  | 'setup_intent.canceled'
  | 'setup_intent.requires_action'
  | 'setup_intent.setup_failed'
  | 'setup_intent.succeeded'
  | 'customer.deleted';

type EventOccasion = {
  type: EventType;
  object: Stripe.PaymentMethod | Stripe.Customer | Stripe.SetupIntent;
  /** The previous values of the changed fields. */
  previous?: object;
  /** The API request that caused the event; absent for changes by an issuer or in the Dashboard. */
  request?: { id: string; idempotency_key: string | null };
};

/** The SDK's type without the relation of each event type to its object type. */
type StoredEvent = Stripe.EventBase & { type: EventType };

type EventState = { event: StoredEvent; attempts: number; isDelivered: boolean; isAbandoned: boolean };

/** Stores an event in the transaction of the change that caused it. `Deliveries.run` sends it. */
export function recordEvent(store: Store, occasion: EventOccasion): void {
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
}

/** @returns the values in `before` of the fields that differ in `after`, as in `previous_attributes` */
export function previousAttributes(before: object, after: object): object {
  const current = new Map(Object.entries(after));
  const changed = Object.entries(before).flatMap(([name, value]): [string, unknown][] => {
    const now = current.get(name);
    if (JSON.stringify(value) === JSON.stringify(now)) return [];
    const areObjects = [value, now].every(
      (one) => one !== null && typeof one === 'object' && !Array.isArray(one),
    );
    return [[name, areObjects ? previousAttributes(value, now) : value]];
  });
  return Object.fromEntries(changed);
}

/** @returns all events, oldest first */
export function listEvents(store: Store): EventState[] {
  const rows = store.database.prepare('SELECT * FROM events ORDER BY sequence').all();
  return rows.map((row) => ({
    event: JSON.parse(String(row.json)),
    attempts: Number(row.attempts),
    isDelivered: row.delivered === 1,
    isAbandoned: row.delivered === 0 && row.next_attempt_ms === null,
  }));
}

export type WebhookTarget = { url: string; secret: string };

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Pauses between attempts: short for tests, then three days in all, as in live mode. https://docs.stripe.com/webhooks#retries */
const RETRY_DELAYS_MS = [
  ...[1_000, 2_000, 4_000, 8_000, 15_000, 30_000, MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS],
  ...[2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS, 12 * HOUR_MS, 12 * HOUR_MS, 12 * HOUR_MS, 12 * HOUR_MS],
];
const RESPONSE_TIMEOUT_MS = 10_000;
const CONCURRENT_MAX = 10;

/** @returns the `Stripe-Signature` header. https://docs.stripe.com/webhooks#verify-manually */
function signatureHeader(payload: string, secret: string): string {
  const timestamp = nowSeconds();
  const signature = createHmac('sha256', secret).update(`${timestamp}.${payload}`).digest('hex');
  return `t=${timestamp},v1=${signature}`;
}

export class Deliveries {
  /** null keeps events undelivered until there is a target. */
  target: WebhookTarget | null;
  private readonly store: Store;
  private readonly closing = new AbortController();
  private readonly inFlight = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private readonly onError: (error: unknown) => void;

  constructor(store: Store, target: WebhookTarget | null, onError: (error: unknown) => void) {
    this.store = store;
    this.target = target;
    this.onError = onError;
  }

  /** Sends due events and schedules the next round. Called after every change and at start. */
  run(): void {
    if (this.closing.signal.aborted) return;
    clearTimeout(this.timer);
    const { target } = this;
    if (target === null) return;
    const now = Date.now();
    const due = this.store.database
      .prepare(
        'SELECT id, json, attempts FROM events WHERE next_attempt_ms <= ? ORDER BY next_attempt_ms, sequence LIMIT ?',
      )
      .all(now, CONCURRENT_MAX)
      .filter((row) => !this.inFlight.has(String(row.id)));
    for (const row of due)
      this.attempt(target, String(row.id), String(row.json), Number(row.attempts)).catch(this.onError);
    this.scheduleNext(now);
  }

  /** @param now the time that due events were read at: an event that fell due since then is still to be sent */
  private scheduleNext(now: number): void {
    const row = this.store.database
      .prepare('SELECT min(next_attempt_ms) AS next FROM events WHERE next_attempt_ms > ?')
      .get(now);
    if (typeof row?.next !== 'number') return;
    this.timer = setTimeout(() => this.run(), Math.max(10, row.next - Date.now()));
    this.timer.unref();
  }

  private async attempt(target: WebhookTarget, id: string, json: string, attempts: number): Promise<void> {
    this.inFlight.add(id);
    const payload = JSON.stringify(JSON.parse(json), null, 2);
    const isDelivered = await this.post(target, payload);
    this.inFlight.delete(id);
    if (this.closing.signal.aborted) return;
    const delayMs = RETRY_DELAYS_MS[attempts];
    const next = isDelivered || delayMs === undefined ? null : Date.now() + delayMs;
    this.store.database
      .prepare(
        'UPDATE events SET attempts = attempts + 1, next_attempt_ms = ?, delivered = max(delivered, ?) WHERE id = ?',
      )
      .run(next, isDelivered ? 1 : 0, id);
    this.run();
  }

  private async post({ url, secret }: WebhookTarget, payload: string): Promise<boolean> {
    try {
      const response = await fetch(url, {
        method: 'POST',
        body: payload,
        redirect: 'manual',
        headers: {
          'Content-Type': 'application/json; charset=utf-8',
          'Stripe-Signature': signatureHeader(payload, secret),
          'User-Agent': 'SandboxProvider/1.0',
        },
        signal: AbortSignal.any([this.closing.signal, AbortSignal.timeout(RESPONSE_TIMEOUT_MS)]),
      });
      await response.body?.cancel();
      return response.ok;
    } catch {
      return false;
    }
  }

  /** Makes an event due again, delivered or not. @returns false if there is no such event */
  resend(id: string): boolean {
    const { changes } = this.store.database
      .prepare('UPDATE events SET attempts = 0, next_attempt_ms = ? WHERE id = ?')
      .run(Date.now(), id);
    return changes > 0;
  }

  close(): void {
    this.closing.abort();
    clearTimeout(this.timer);
  }
}
