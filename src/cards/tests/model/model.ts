/** What the service has acknowledged so far, and what must hold once everything has settled. */
import { expect } from 'vitest';
import { getCustomer } from '#src/api/operations/get-customer.ts';
import { bankRequestsMax } from '#src/cards/card.ts';
import { findCards, isStuck } from '#src/cards/list-cards.ts';
import { tokenHash } from '#src/tokens.ts';
import { call, type TestResponse } from '#tools/testing/api.ts';
import type { AddCardBody, ShownCard } from '../support.ts';
import type { System } from './system.ts';

/** A token that a customer has posted. */
export type Post = {
  customer: number;
  token: string;
  last4: string;
  sentAt: number;
  /** Of the card, once its addition was acknowledged. */
  uuid?: string;
  /** For whose cardholder the bank waits. */
  setupIntentId?: string;
  /** The response that the card is not added, and when it came. */
  refusal?: { code: string; text: string; at: number };
};
/** A request to add a card. */
type Attempt = {
  post: Post;
  sentAt: number;
  hour: number;
  isFirst: boolean;
  endedAt?: number;
  outcome?: 'declined' | 'limited' | 'repeat' | 'other';
};
type Intent = { id: string; customer: string; payment_method: string | null; status: string };
type Row = { uuid: string; method: string | null; intent: string | null; state: string };

/** In an hour. Fewer than by default, so that they are reached. */
export const declinesMax = 4;
export const newCardsMax = 12;
/** Failures that a client repeats: in flight, the provider fails, too many, the database fails. */
const retryable = [409, 424, 429, 503];

export class Model {
  readonly posts: Post[] = [];
  /** Whether nothing fails and every lease holds, so that no request is repeated. */
  readonly isCalm: boolean;
  /** Whether the provider has refused one of our requests as invalid, which is the only reason for a 500. */
  isRefused = false;
  private now = 0;
  private hour = 0;
  private readonly attempts: Attempt[] = [];
  /** From then on, earlier cards of the number may be missing: one was removed here, or changed at the provider. */
  private readonly excuses: { customer: number; last4: string; at: number }[] = [];
  /** Cards that the provider dropped in an event that we never got. */
  private readonly unheard = new Set<string>();
  /** The last entry of the audit when the provider dropped the card. */
  private readonly droppedBefore = new Map<string, string>();
  private readonly responses = new Map<string, string>();

  constructor(isCalm: boolean) {
    this.isCalm = isCalm;
  }

  tick(): number {
    this.now += 1;
    return this.now;
  }

  excuse(customer: number, last4: string): void {
    this.excuses.push({ customer, last4, at: this.tick() });
  }

  neverHears(paymentMethodIds: string[]): void {
    for (const id of paymentMethodIds) this.unheard.add(id);
  }

  /** Cards that the provider dropped while no process was working on them. */
  async dropped(system: System, paymentMethodIds: string[]): Promise<void> {
    if (!system.isQuiet()) return;
    const [last] = await system.service.sql`select coalesce(max(id), 0) as id from audit_entries`;
    for (const id of paymentMethodIds) this.droppedBefore.set(id, last?.id);
  }

  /** From now on, lost events make no difference. */
  isReconciled(): void {
    this.unheard.clear();
  }

  /** Unless a request is in flight, which would be of both hours. */
  async passHour(system: System): Promise<void> {
    if (await system.passHour()) this.hour += 1;
  }

  attempt(post: Post): Attempt {
    const isFirst = this.attempts.every((one) => one.post !== post);
    const attempt = { post, sentAt: this.tick(), hour: this.hour, isFirst };
    this.attempts.push(attempt);
    return attempt;
  }

  added(system: System, post: Post, attempt: Attempt, response: TestResponse, key?: string): void {
    this.received(system, post.customer, response, key);
    const { status, json, text, headers } = response;
    // As the key's first response was, whatever has happened to the card since.
    if (headers.get('idempotent-replayed')) return;
    const { card, code, next_action } = json as unknown as AddCardBody;
    const isRefused = status === 200 && !card && !next_action;
    attempt.endedAt = this.tick();
    if (isRefused)
      attempt.outcome = /^(card_declined|insufficient_funds)$/.test(code ?? '') ? 'declined' : 'other';
    else if (status === 429) attempt.outcome = 'limited';
    else attempt.outcome = retryable.includes(status) ? 'repeat' : 'other';
    if (status === 429) this.expectLimitReached(attempt, text);
    if (next_action) post.setupIntentId = next_action.client_secret.split('_secret_')[0] ?? '';
    // A request that was sent before may have met the limit before the other one had its outcome.
    const isRepeated = post.refusal && attempt.sentAt > post.refusal.at;
    if (post.refusal && (status === 200 || (status === 429 && isRepeated)))
      expect(text, 'a refusal is final').toBe(post.refusal.text);
    if (isRefused) post.refusal ??= { code: String(code), text, at: attempt.endedAt };
    if (status === 200 && card) {
      expect(card.uuid, 'a token stands for one card').toBe(post.uuid ?? card.uuid);
      post.uuid = card.uuid;
    } else if ([200, 400, 404, 429].includes(status) && post.uuid) {
      expect(this.mayBeMissing(post), `a card that was added: ${text}`).toBe(true);
    }
  }

  private expectLimitReached(attempt: Attempt, text: string): void {
    const ofCustomer = this.attempts.filter(({ post }) => post.customer === attempt.post.customer);
    if (text.includes('too_many_new_cards')) {
      const inHour = ofCustomer.filter(({ hour }) => hour === attempt.hour);
      expect(inHour.length, text).toBeGreaterThan(newCardsMax);
    } else {
      const mayBeDeclined = ofCustomer.filter(
        ({ post, outcome, endedAt = attempt.sentAt }) =>
          (!post.uuid && outcome !== 'limited') || endedAt >= attempt.sentAt,
      );
      expect(new Set(mayBeDeclined.map(({ post }) => post)).size, text).toBeGreaterThan(declinesMax);
    }
  }

  /** Of the cards whose first request had an outcome, because a card that is retried without its customer is not limited. */
  private expectLimitsRespected(): void {
    const counts = new Map<string, { declined: number; all: number }>();
    for (const { post, hour, isFirst, outcome = 'repeat' } of this.attempts) {
      if (!isFirst || outcome === 'limited' || outcome === 'repeat') continue;
      const count = counts.get(`${post.customer} ${hour}`) ?? { declined: 0, all: 0 };
      count.all += 1;
      if (outcome === 'declined') count.declined += 1;
      counts.set(`${post.customer} ${hour}`, count);
    }
    for (const { declined, all } of counts.values()) {
      expect(declined, 'declined cards in an hour').toBeLessThanOrEqual(declinesMax);
      expect(all, 'new cards in an hour').toBeLessThanOrEqual(newCardsMax);
    }
  }

  /** An event that was handled is not applied again. */
  async expectHandledOnce(system: System): Promise<void> {
    const lastRequest = async () => (await system.service.control('GET requests')).data.at(-1)?.id;
    const before = await lastRequest();
    for (const event of system.handledEvents()) expect(await system.deliver(event, 0)).toBe(200);
    if (system.isQuiet()) expect(await lastRequest(), 'request for a handled event').toBe(before);
  }

  received(system: System, customer: number, { status, text, json }: TestResponse, key?: string): void {
    const expected = [200, 400, 404, ...retryable.filter((one) => one !== 424 || !this.isCalm)];
    if (this.isRefused) expected.push(500);
    expect(expected, text).toContain(status);
    for (const [index, other] of system.customers.entries()) {
      if (index === customer) continue;
      const foreign = [
        other.username,
        other.apiKey,
        ...this.posts.filter((post) => post.customer === index).map(({ uuid }) => uuid),
      ];
      for (const name of foreign) if (name) expect(text).not.toContain(name);
    }
    if (key === undefined || status >= 500 || retryable.includes(status) || 'next_action' in json) return;
    const first = this.responses.get(`${customer} ${key}`);
    if (first) expect(text, 'an idempotency key stands for one response').toBe(first);
    else this.responses.set(`${customer} ${key}`, text);
  }

  private mayBeMissing(post: Post): boolean {
    const ofNumber = this.posts.filter(
      ({ customer, last4 }) => customer === post.customer && last4 === post.last4,
    );
    return ofNumber.length > 1 || this.isExcused(post);
  }

  private isExcused(post: Post): boolean {
    return this.excuses.some(
      ({ customer, last4, at }) => customer === post.customer && last4 === post.last4 && at >= post.sentAt,
    );
  }

  /** @param isEnd whether all banks had waited long enough for their cardholders */
  async expectInvariants(system: System, isEnd: boolean): Promise<void> {
    const { control, db, sql } = system.service;
    const methods = await system.attachedMethods();
    const intents = (await control('GET setup_intents')).data as unknown as Intent[];
    const isSaved = (method: string | null) =>
      intents.some(({ payment_method, status }) => payment_method === method && status === 'succeeded');
    const stuckUuids = (await findCards(db, isStuck)).map(({ card }) => card.uuid);
    for (const [index, customer] of system.customers.entries()) {
      const response = await call(getCustomer, customer);
      this.received(system, index, response);
      const shown = (response.json as unknown as { customer: { cards: ShownCard[] } }).customer.cards;
      const rows = await sql<Row[]>`
        select uuid, payment_method_id as method, setup_intent_id as intent, state from cards
        where customer_id = ${customer.id} order by id`;
      const unfinished = rows.filter(({ state }) => state === 'pending' || state === 'removing');
      const waiting = rows.filter(({ state }) => state === 'authenticating');
      const active = rows.filter(({ state }) => state === 'active');
      expect(
        [...unfinished, ...(isEnd ? waiting : [])].filter(({ uuid }) => !stuckUuids.includes(uuid)),
        'unfinished',
      ).toEqual([]);
      const unheard = waiting.filter(({ intent }) => intent && this.unheard.has(intent));
      for (const { intent } of waiting.filter((row) => !unheard.includes(row)))
        expect(intents.find(({ id }) => id === intent)?.status, 'the bank waits').toBe('requires_action');
      for (const { method } of active) expect(isSaved(method), `the bank has checked ${method}`).toBe(true);
      const elsewhere = new Set([...unfinished, ...unheard].map(({ method }) => method));
      expect(shown.map(({ uuid }) => uuid).sort(), 'shown').toEqual(active.map(({ uuid }) => uuid).sort());
      const here = active.map(({ method }) => String(method));
      const there = methods.filter((one) => one.customer === index).map(({ id }) => id);
      expect(
        here.filter((id) => !this.unheard.has(id) || there.includes(id)).sort(),
        'active here, attached there',
      ).toEqual(there.filter((id) => !elsewhere.has(id)).sort());
      for (const post of this.posts.filter((one) => one.customer === index && one.uuid)) {
        const isShown = shown.some(({ uuid, last4 }) => uuid === post.uuid || last4 === post.last4);
        expect(
          isShown || this.isExcused(post),
          `the card ending in ${post.last4} of customer ${index} is kept`,
        ).toBe(true);
      }
      for (const { token, refusal } of this.posts.filter((one) => one.customer === index)) {
        if (!/^authentication_(failed|expired)$/.test(refusal?.code ?? '')) continue;
        const [row] = await sql`
          select setup_intent_id as intent from cards where customer_id = ${customer.id} and token_hash = ${tokenHash(token)}`;
        const intent = intents.find(({ id }) => id === row?.intent);
        expect(intent?.status, `authenticated: ${refusal?.text}`).not.toBe('succeeded');
      }
    }
    // A lease that ran out does not count.
    if (this.isCalm) this.expectLimitsRespected();
    for (const [method, entry] of this.droppedBefore) {
      const added = await sql`
        select from audit_entries e join cards on cards.customer_id = e.customer_id and cards.uuid::text = after ->> 'uuid'
        where e.action = 'card.added' and e.id > ${entry} and payment_method_id = ${method}`;
      expect(added, 'added after the provider dropped it').toHaveLength(0);
    }
    await this.expectBankSpared(system);
  }

  private async expectBankSpared({ service: { control } }: System): Promise<void> {
    const keys = new Map<string, string[]>();
    for (const { body, headers } of (await control('GET requests?operation=setupIntents.create')).data) {
      const method = new URLSearchParams(String(body)).get('payment_method') ?? '';
      const key = (headers as Record<string, string>)['idempotency-key'] ?? '';
      keys.set(method, [...(keys.get(method) ?? []), key]);
    }
    for (const [method, sent] of keys) {
      expect(new Set(sent).size, `checks of ${method}`).toBeLessThanOrEqual(bankRequestsMax);
      if (this.isCalm) expect(sent, `requests for ${method}`).toEqual([...new Set(sent)]);
    }
    const intents = (await control('GET setup_intents')).data.filter(({ status }) => status === 'succeeded');
    const saved = intents.map(({ customer, payment_method }) => `${customer} ${payment_method}`);
    expect(saved, 'saved once').toHaveLength(new Set(saved).size);
  }
}
