/** What the service has promised so far, and what must hold once everything has settled. */
import { expect } from 'vitest';
import { getCustomer } from '#src/api/operations/get-customer.ts';
import { bankRequestsMax } from '#src/cards/card.ts';
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
};
type Method = { id: string; customer: string; card: { last4: string } };
type Row = { uuid: string; method: string | null; state: string; retries: number };

/** Failures that a client repeats: in flight, the provider fails, the database fails. */
const retryable = [409, 424, 503];

export class Promises {
  readonly posts: Post[] = [];
  /** Whether the provider has refused one of our requests as invalid, which is the only reason for a 500. */
  isRefused = false;
  private now = 0;
  /** From then on, earlier cards of the number may be missing: one was removed here, or changed at the provider. */
  private readonly excuses: { customer: number; last4: string; at: number }[] = [];
  /** Cards that the provider dropped in an event that we never got. */
  private readonly unheard = new Set<string>();
  /** The last entry of the audit when the provider dropped the card. */
  private readonly droppedBefore = new Map<string, string>();
  private readonly responses = new Map<string, string>();

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

  added(system: System, post: Post, response: TestResponse, key?: string): void {
    this.received(system, post.customer, response, key);
    const { status, json } = response;
    const { card } = json as unknown as AddCardBody;
    if (status === 200 && card) {
      expect(card.uuid, 'a token stands for one card').toBe(post.uuid ?? card.uuid);
      post.uuid = card.uuid;
    } else if (!retryable.includes(status) && post.uuid) {
      expect(this.mayBeMissing(post), `a card that was added: ${response.text}`).toBe(true);
    }
  }

  received(system: System, customer: number, { status, text }: TestResponse, key?: string): void {
    const expected = [200, 400, 404, ...retryable, ...(this.isRefused ? [500] : [])];
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
    if (key === undefined || status >= 500 || retryable.includes(status)) return;
    const first = this.responses.get(`${customer} ${key}`);
    if (first) expect(text, 'an idempotency key stands for one response').toBe(first);
    else this.responses.set(`${customer} ${key}`, text);
  }

  private mayBeMissing({ customer, last4, sentAt }: Post): boolean {
    const isReplaced =
      this.posts.filter((post) => post.customer === customer && post.last4 === last4).length > 1;
    const isSame = (one: { customer: number; last4: string }) =>
      one.customer === customer && one.last4 === last4;
    return isReplaced || this.excuses.some((excuse) => isSame(excuse) && excuse.at >= sentAt);
  }

  async expectFulfilled(system: System): Promise<void> {
    const { control, sql } = system.service;
    const owners = new Map(
      (await control('GET customers')).data.map(({ id, metadata }) => [
        id,
        metadata as { customer_id: string } | undefined,
      ]),
    );
    const methods = (await control('GET payment_methods?attached=true')).data as unknown as Method[];
    for (const [index, customer] of system.customers.entries()) {
      const response = await call(getCustomer, customer);
      this.received(system, index, response);
      const shown = (response.json as unknown as { customer: { cards: ShownCard[] } }).customer.cards;
      const rows = await sql<Row[]>`
        select uuid, payment_method_id as method, state, retries from cards where customer_id = ${customer.id} order by id`;
      const unfinished = rows.filter(({ state }) => state === 'pending' || state === 'removing');
      const stuck = new Set(unfinished.map(({ method }) => method));
      const active = rows.filter(({ state }) => state === 'active');
      expect(
        unfinished.filter(({ retries }) => retries < 10),
        'unfinished',
      ).toEqual([]);
      expect(shown.map(({ uuid }) => uuid).sort(), 'shown').toEqual(active.map(({ uuid }) => uuid).sort());
      const attached = methods.filter((one) => owners.get(one.customer)?.customer_id === String(customer.id));
      const here = active.map(({ method }) => String(method));
      const there = attached.map(({ id }) => id);
      expect(
        here.filter((id) => !this.unheard.has(id) || there.includes(id)).sort(),
        'active here, attached there',
      ).toEqual(there.filter((id) => !stuck.has(id)).sort());
      for (const post of this.posts.filter((one) => one.customer === index && one.uuid)) {
        const isShown = shown.some(({ uuid, last4 }) => uuid === post.uuid || last4 === post.last4);
        const isExcused = this.excuses.some(
          ({ at, ...excuse }) =>
            excuse.customer === index && excuse.last4 === post.last4 && at >= post.sentAt,
        );
        expect(isShown || isExcused, `the card ending in ${post.last4} of customer ${index} is kept`).toBe(
          true,
        );
      }
    }
    for (const [method, entry] of this.droppedBefore) {
      const added = await sql`
        select from audit_entries e join cards on cards.customer_id = e.customer_id and cards.uuid::text = after ->> 'uuid'
        where e.action = 'card.added' and e.id > ${entry} and payment_method_id = ${method}`;
      expect(added, 'added after the provider dropped it').toHaveLength(0);
    }
    await this.expectBankSpared(system);
  }

  private async expectBankSpared({ service: { control } }: System): Promise<void> {
    const keys = new Map<string, Set<string>>();
    for (const { body, headers } of (await control('GET requests?operation=setupIntents.create')).data) {
      const method = new URLSearchParams(String(body)).get('payment_method') ?? '';
      const key = (headers as Record<string, string>)['idempotency-key'] ?? '';
      keys.set(method, (keys.get(method) ?? new Set()).add(key));
    }
    for (const [method, sent] of keys)
      expect(sent.size, `checks of ${method}`).toBeLessThanOrEqual(bankRequestsMax);
    const intents = (await control('GET setup_intents')).data.filter(({ status }) => status === 'succeeded');
    const saved = intents.map(({ customer, payment_method }) => `${customer} ${payment_method}`);
    expect(saved, 'saved once').toHaveLength(new Set(saved).size);
  }
}
