/** What the commands act on: two processes, one database, and one provider. */
import { setTimeout as pause } from 'node:timers/promises';
import type { ReservedSql } from 'postgres';
import Stripe from 'stripe';
import { retriesMax } from '#src/cards/lease-queries.ts';
import type { TestService } from '#tools/testing/api.ts';
import { call, webhookSecret } from '#tools/testing/api.ts';
import { newCity, newCustomer, type TestCustomer } from '#tools/testing/factories.ts';
import { leaseRunsOut } from '../support.ts';
import { type Instance, inOwnProcess, type Start, startInstance } from './instance.ts';

export type ProviderEvent = { id: string; type: string; data: { object: { id: string } } };

/** After this, a command goes on beside the next ones. */
const heldUpMs = 400;
const roundsMax = 30;
const stripe = new Stripe('sk_test_signs');
const isOfCards = ({ type }: ProviderEvent) =>
  /^payment_method\.(?!attached)|^customer\.deleted|^setup_intent\.(?!requires_action)/.test(type);

export class System {
  readonly service: TestService;
  readonly customers: TestCustomer[] = [];
  private readonly start: Start;
  private readonly instances: Map<number, Promise<Instance>>;
  private readonly inFlight = new Set<Promise<unknown>>();
  private readonly failures: unknown[] = [];
  private readonly handled = new Map<string, ProviderEvent>();
  private readonly dropped = new Set<string>();
  private lock: ReservedSql | undefined;

  /** @param instances of an earlier run that ended well */
  constructor(service: TestService, start: Start, instances = new Map<number, Promise<Instance>>()) {
    this.service = service;
    this.start = start;
    this.instances = instances;
  }

  async open(customers: number): Promise<this> {
    await this.service.control('POST reset');
    // Of a sequence that failed: the provider does not know them any more.
    await this.service.sql`delete from cards`;
    const city = await newCity(this.service.db);
    for (let n = 0; n < customers; n++) this.customers.push(await newCustomer(this.service.db, { city }));
    return this;
  }

  async close(): Promise<void> {
    await this.unlock();
    for (const instance of this.instances.values()) await (await instance).end();
    this.instances.clear();
  }

  /** A process that was killed is started again. */
  async instance(index: number): Promise<Instance> {
    const before = await this.instances.get(index);
    if (before && !before.isDead()) return before;
    const started = startInstance(this.service.environment, this.start);
    this.instances.set(index, started);
    if (before) this.track(before.end());
    return started;
  }

  /** Waits for the work, unless it is held up: then it goes on beside the next commands. */
  async run(work: Promise<unknown>, isAwaited = true): Promise<void> {
    const done = this.track(work);
    if (isAwaited) await Promise.race([done, pause(heldUpMs)]);
    this.throwFailures();
  }

  /** Whether no process works on anything. A process of its own has background jobs. */
  isQuiet(): boolean {
    return this.inFlight.size === 0 && !this.lock && this.start !== inOwnProcess;
  }

  private track(work: Promise<unknown>): Promise<unknown> {
    const done = work.catch((error) => this.failures.push(error)).finally(() => this.inFlight.delete(done));
    this.inFlight.add(done);
    return done;
  }

  async idle(): Promise<void> {
    await Promise.all(this.inFlight);
    this.throwFailures();
  }

  private throwFailures(): void {
    if (this.failures.length > 0) throw this.failures[0];
  }

  /** Another transaction locks the customer's row until time passes. */
  async lockCustomer({ id }: TestCustomer): Promise<void> {
    if (this.lock) return;
    this.lock = await this.service.sql.reserve();
    await this.lock`begin`;
    await this.run(this.lock`select from customers where id = ${id} for update`);
  }

  private async unlock(): Promise<void> {
    const lock = this.lock;
    this.lock = undefined;
    if (!lock) return;
    await lock`rollback`;
    lock.release();
  }

  /** Leases and locks run out, retries are due, and what hung has timed out. */
  async passTime(): Promise<void> {
    await this.unlock();
    for (const instance of this.instances.values()) (await instance).recover();
    await leaseRunsOut(this.service);
    await this.service.sql`
      update cards set next_attempt_at = now() where state = 'authenticating' and retries > 0`;
    // No request takes as long as it holds a key.
    if (this.inFlight.size > 0) return;
    await this.service.sql`
      update idempotency_keys set locked_until = now() - interval '1 second' where status is null`;
  }

  /** @returns whether it passed: not while a request is in flight */
  async passHour(): Promise<boolean> {
    if (this.inFlight.size > 0) return false;
    await this.service.sql`update limit_counts set expire = now()`;
    await this.service.sql`
      update cards set created_at = (created_at at time zone 'utc' - interval '1 hour') at time zone 'utc',
        updated_at = case when failure_code is null then updated_at
          else (updated_at at time zone 'utc' - interval '1 hour') at time zone 'utc' end`;
    return true;
  }

  /** Banks do not wait longer for their cardholders. */
  async passDay(): Promise<void> {
    await this.service.sql`update cards set next_attempt_at = now() where state = 'authenticating'`;
  }

  /** What the provider has attached, and the index of its customer here. */
  async attachedMethods() {
    const { data: customers } = await this.service.control('GET customers');
    const { data: methods } = await this.service.control('GET payment_methods?attached=true');
    return methods.map(({ id, customer: owner, card }) => {
      const { metadata } = customers.find((one) => one.id === owner) ?? {};
      const { customer_id: customerId } = (metadata ?? {}) as { customer_id?: string };
      return {
        id: String(id),
        owner: String(owner),
        customer: this.customers.findIndex((one) => String(one.id) === customerId),
        last4: (card as { last4: string }).last4,
      };
    });
  }

  /** Events about cards that were neither handled nor dropped, oldest first. */
  async events(): Promise<ProviderEvent[]> {
    const { data } = await this.service.control('GET events');
    const all = data.map(({ event }) => event as ProviderEvent);
    return all.filter(
      (event) => isOfCards(event) && !this.handled.has(event.id) && !this.dropped.has(event.id),
    );
  }

  async deliver(event: ProviderEvent, instance: number): Promise<number> {
    const payload = JSON.stringify(event);
    const signature = stripe.webhooks.generateTestHeaderString({ payload, secret: webhookSecret });
    const { status } = await call({ method: 'POST', path: '/api/webhooks/stripe' }, null, {
      body: payload,
      headers: { 'Stripe-Signature': signature },
      handle: (await this.instance(instance)).handle,
    });
    if (status === 200) this.handled.set(event.id, event);
    return status;
  }

  drop(event: ProviderEvent): void {
    this.dropped.add(event.id);
  }

  handledEvents(): ProviderEvent[] {
    return [...this.handled.values()];
  }

  /** No more faults: everything that is unfinished can finish, and every event is delivered. */
  async settle(): Promise<void> {
    await this.service.control('DELETE faults');
    await this.passTime();
    await this.idle();
    const failures: unknown[] = [];
    for (let round = 0; round < roundsMax; round++) {
      await this.passTime();
      const both = [await this.instance(0), await this.instance(1)];
      await Promise.all(both.map((one) => one.complete().catch((error) => failures.push(error))));
      const events = await this.events();
      for (const event of events) failures.push(`${event.type}: ${await this.deliver(event, round % 2)}`);
      if (events.length === 0 && (await this.unfinished()) === 0) return;
    }
    throw new Error('Does not settle.', { cause: failures.slice(-5) });
  }

  private async unfinished(): Promise<number> {
    const [row] = await this.service.sql`
      select count(*)::int from cards where retries < ${retriesMax}
        and (state in ('pending', 'removing') or (state = 'authenticating' and next_attempt_at <= now()))`;
    return row?.count;
  }
}
