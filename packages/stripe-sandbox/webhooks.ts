/** Sends events to the webhook's address, signed, again and again until it answers 2xx or the attempts run out. */
import { createHmac } from 'node:crypto';
import type { Store } from './state/store.ts';

export type WebhookTarget = { url: string; secret: string };

/** The pauses before the second attempt and each later one: about four minutes in all. */
const RETRY_DELAYS_MS = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 60_000, 120_000];
const ANSWER_TIMEOUT_MS = 10_000;
const AT_ONCE = 10;

/** @returns the `Stripe-Signature` header for a payload. https://docs.stripe.com/webhooks#verify-manually */
export function signatureHeader(payload: string, secret: string, timestampSeconds: number): string {
  const signature = createHmac('sha256', secret).update(`${timestampSeconds}.${payload}`).digest('hex');
  return `t=${timestampSeconds},v1=${signature}`;
}

export class Deliveries {
  /** Where events go; null keeps them waiting for nobody (they can still be sent again later). */
  target: WebhookTarget | null;
  private readonly store: Store;
  private readonly closing = new AbortController();
  private readonly underWay = new Set<string>();
  private timer: NodeJS.Timeout | undefined;

  private readonly onError: (error: unknown) => void;

  constructor(store: Store, target: WebhookTarget | null, onError: (error: unknown) => void) {
    this.store = store;
    this.target = target;
    this.onError = onError;
  }

  /** Sends what is due and plans the next round. Called after every change and at start. */
  run(): void {
    if (this.closing.signal.aborted) return;
    clearTimeout(this.timer);
    const { target } = this;
    if (target === null) return;
    const due = this.store.database
      .prepare(
        'SELECT id, json, attempts FROM events WHERE next_attempt_ms <= ? ORDER BY next_attempt_ms, sequence LIMIT ?',
      )
      .all(Date.now(), AT_ONCE)
      .filter((row) => !this.underWay.has(String(row.id)));
    for (const row of due)
      this.attempt(target, String(row.id), String(row.json), Number(row.attempts)).catch(this.onError);
    this.planNext();
  }

  private planNext(): void {
    const row = this.store.database
      .prepare('SELECT min(next_attempt_ms) AS next FROM events WHERE next_attempt_ms > ?')
      .get(Date.now());
    if (typeof row?.next !== 'number') return;
    this.timer = setTimeout(() => this.run(), Math.max(10, row.next - Date.now()));
    this.timer.unref();
  }

  private async attempt(target: WebhookTarget, id: string, json: string, attempts: number): Promise<void> {
    this.underWay.add(id);
    const payload = JSON.stringify(JSON.parse(json), null, 2);
    const isDelivered = await this.post(target, payload);
    this.underWay.delete(id);
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
          'Stripe-Signature': signatureHeader(payload, secret, Math.floor(Date.now() / 1000)),
          'User-Agent': 'SandboxProvider/1.0',
        },
        signal: AbortSignal.any([this.closing.signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]),
      });
      await response.body?.cancel();
      return response.ok;
    } catch {
      return false;
    }
  }

  /** Sends an event once more, delivered or not. @returns whether there is such an event */
  resend(id: string): boolean {
    const { changes } = this.store.database
      .prepare('UPDATE events SET attempts = 0, next_attempt_ms = ? WHERE id = ?')
      .run(Date.now(), id);
    this.run();
    return changes > 0;
  }

  close(): void {
    this.closing.abort();
    clearTimeout(this.timer);
  }
}
