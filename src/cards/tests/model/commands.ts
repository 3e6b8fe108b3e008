/** What can happen, in any order. */
import fc from 'fast-check';
import { addCard } from '#src/api/operations/add-card.ts';
import { removeCard } from '#src/api/operations/remove-card.ts';
import type { RequestHandler } from '#src/api/router.ts';
import { updateCustomer } from '#src/customers/update-customer.ts';
import { call, sandboxKeys } from '#tools/testing/api.ts';
import { tokenOf } from '../support.ts';
import type { Interruption } from './instance.ts';
import type { Post, Promises } from './promises.ts';
import type { System } from './system.ts';

export const customersMax = 2;
type Command = fc.AsyncCommand<Promises, System>;
type Run<Args> = (promises: Promises, system: System, args: Args) => Promise<void>;

function command<Args>(
  name: string,
  args: { [Key in keyof Args]: fc.Arbitrary<Args[Key]> },
  run: Run<Args>,
): fc.Arbitrary<Command> {
  return fc.record(args).map((values) => ({
    check: () => true,
    run: (promises, system) => run(promises, system, values as Args),
    toString: () => `${name} ${JSON.stringify(values)}`,
  }));
}

const good = ['4242424242424242', '5555555555554444', '378282246310005'] as const;
const declined = ['4000000000000002', '4000000000009995'] as const;
const customer = fc.nat({ max: customersMax - 1 });
/** One of the two processes. */
const instance = fc.nat({ max: 1 });
/** Whether the next command waits for this one. */
const isAwaited = fc.boolean();
/** Which of what there is. */
const nth = fc.nat({ max: 1_000 });

const fault = fc.record({
  operation: fc.constantFrom(
    ...['customers.create', 'paymentMethods.create', 'paymentMethods.retrieve'],
    ...['paymentMethods.detach', 'setupIntents.create', 'setupIntents.create', 'setupIntents.create'],
  ),
  kind: fc.constantFrom(
    ...['400', '401', '403', '429', '500', '500_after_commit', 'hang', 'reset', 'broken_body', 'slow'],
    ...['drop_after_commit', 'drop_after_commit', 'drop_after_commit'],
  ),
  times: fc.integer({ min: 1, max: 3 }),
});
const interruption = fc.record({
  how: fc.constantFrom<Interruption>('kill', 'kill', 'kill', 'restart', 'restart', 'hang'),
  /** So many messages to or from the database and the provider. */
  after: fc.nat({ max: 50 }),
});

/** How a request is sent, and what happens meanwhile. */
const how = {
  instance,
  isAwaited,
  hasKey: fc.boolean(),
  fault: fc.option(fault, { freq: 1 }),
  interruption: fc.option(interruption, { freq: 4 }),
};
type Values<Args> = { [Key in keyof Args]: Args[Key] extends fc.Arbitrary<infer Value> ? Value : never };
type How = Values<typeof how>;

const pick = <Item>(items: readonly Item[], index: number): Item | undefined =>
  items[index % (items.length || 1)];

async function failProvider(promises: Promises, system: System, failing: How['fault']) {
  if (!failing) return;
  promises.isRefused ||= failing.kind === '400';
  await system.service.control('POST faults', { ...failing, delayMs: 100 });
}

/** A client whose server is killed gets no response. */
const unlessKilled = (send: () => Promise<void>) =>
  send().catch((error) => {
    if (!/was killed|fetch failed|terminated/.test(String(error))) throw error;
  });

async function send(
  promises: Promises,
  system: System,
  args: How,
  request: (handle: RequestHandler) => Promise<void>,
) {
  const { handle, interrupt } = await system.instance(args.instance);
  await failProvider(promises, system, args.fault);
  if (args.interruption) interrupt(args.interruption.how, args.interruption.after);
  await system.run(
    unlessKilled(() => request(handle)),
    args.isAwaited,
  );
}

/** A payment method, as a customer's own server makes one of a token. */
async function methodOf({ service }: System, token: string): Promise<string> {
  const response = await fetch(`${service.sandbox.origin}/v1/payment_methods`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${sandboxKeys.secretKey}` },
    body: new URLSearchParams({ type: 'card', 'card[token]': token }),
    signal: AbortSignal.timeout(1_000),
  });
  return ((await response.json()) as { id: string }).id;
}

const calmly: How = { instance: 0, isAwaited: true, hasKey: false, fault: null, interruption: null };

export async function post(promises: Promises, system: System, one: Post, args = calmly): Promise<void> {
  const key = args.hasKey ? `add ${one.token}` : undefined;
  await send(promises, system, args, async (handle) => {
    const options = { body: { token: one.token, card: {} }, headers: { 'Idempotency-Key': key }, handle };
    promises.added(system, one, await call(addCard, system.customers[one.customer] ?? null, options), key);
  });
}

const addNew = command(
  'add',
  {
    customer,
    number: fc.constantFrom(...good, ...good, ...declined),
    expYear: fc.constantFrom(2034, 2035),
    isMethod: fc.boolean(),
    ...how,
  },
  async (promises, system, args) => {
    const token = await tokenOf(system.service, args.number, args.expYear);
    const one: Post = {
      customer: args.customer,
      // A fault of the provider can meet this client too.
      token: args.isMethod ? await methodOf(system, token).catch(() => token) : token,
      last4: args.number.slice(-4),
      sentAt: promises.tick(),
    };
    promises.posts.push(one);
    await post(promises, system, one, args);
  },
);

const addAgain = command('add again', { nth, ...how }, async (promises, system, args) => {
  const one = pick(promises.posts, args.nth);
  if (one) await post(promises, system, one, args);
});

const addForeign = command('add foreign', { nth, customer, ...how }, async (promises, system, args) => {
  const theirs = pick(promises.posts, args.nth);
  if (!theirs) return;
  const { token, last4 } = theirs;
  const known = promises.posts.find((one) => one.customer === args.customer && one.token === token);
  const one = known ?? { customer: args.customer, token, last4, sentAt: promises.tick() };
  if (!known) promises.posts.push(one);
  await post(promises, system, one, args);
});

const remove = command('remove', { nth, ...how }, async (promises, system, args) => {
  const one = pick(
    promises.posts.filter(({ uuid }) => uuid),
    args.nth,
  );
  if (!one?.uuid) return;
  const { customer: index, uuid } = one;
  const [row] = await system.service.sql`select last4 from cards where uuid = ${uuid}`;
  for (const last4 of [one.last4, row?.last4]) promises.excuse(index, last4);
  const key = args.hasKey ? `remove ${uuid}` : undefined;
  await send(promises, system, args, async (handle) => {
    const options = { params: { uuid }, headers: { 'Idempotency-Key': key }, handle };
    promises.received(system, index, await call(removeCard, system.customers[index] ?? null, options), key);
  });
});

const failLater = command('fail the provider', { fault }, (promises, system, args) =>
  failProvider(promises, system, args.fault),
);
const heal = command('heal the provider', {}, async (_, system) => {
  await system.service.control('DELETE faults');
});

/** The customers of this run and what the provider has attached to them. */
async function attachedMethods(system: System) {
  const owners = new Map(
    (await system.service.control('GET customers')).data.map(({ id, metadata }) => [
      id,
      metadata as { customer_id?: string },
    ]),
  );
  const { data } = await system.service.control('GET payment_methods?attached=true');
  return data.map(({ id, customer, card }) => ({
    id: String(id),
    owner: String(customer),
    customer: system.customers.findIndex((one) => String(one.id) === owners.get(customer)?.customer_id),
    last4: (card as { last4: string }).last4,
  }));
}

const detach = command('detach', { nth }, async (promises, system, args) => {
  const method = pick(await attachedMethods(system), args.nth);
  if (!method) return;
  promises.excuse(method.customer, method.last4);
  await system.service.control(`POST payment_methods/${method.id}/detach`);
  await promises.dropped(system, [method.id]);
});

const deleteCustomer = command('delete a customer', { nth }, async (promises, system, args) => {
  const methods = await attachedMethods(system);
  const owner = pick(methods, args.nth)?.owner;
  if (!owner) return;
  const dropped = methods.filter((method) => method.owner === owner);
  for (const method of dropped) promises.excuse(method.customer, method.last4);
  await system.service.control(`DELETE customers/${owner}`);
  await promises.dropped(
    system,
    dropped.map(({ id }) => id),
  );
});

const updateCard = command(
  'update a card',
  { nth, number: fc.constantFrom(...good), exp_year: fc.constantFrom(2034, 2036) },
  async (promises, system, { nth, ...values }) => {
    const method = pick(await attachedMethods(system), nth);
    if (!method) return;
    promises.excuse(method.customer, method.last4);
    await system.service.control(`POST payment_methods/${method.id}/update`, values);
  },
);

const deliver = command(
  'deliver',
  { nth, instance, isAwaited, isTwice: fc.boolean() },
  async (_, system, args) => {
    const event = pick(await system.events(), args.nth);
    if (!event) return;
    for (const _ of args.isTwice ? [1, 2] : [1])
      await system.run(
        unlessKilled(async () => void (await system.deliver(event, args.instance))),
        args.isAwaited,
      );
  },
);

const loseEvent = command('lose an event', { nth }, async (promises, system, args) => {
  const event = pick(await system.events(), args.nth);
  if (!event) return;
  const { id } = event.data.object;
  const { data } = await system.service.control(`GET payment_methods?customer=${id}`);
  promises.neverHears([id, ...data.map((method) => String(method.id))]);
  system.drop(event);
});

const edit = command(
  'edit',
  { customer, email: fc.boolean(), n: fc.nat({ max: 9 }) },
  async (_, system, args) => {
    const { username } = system.customers[args.customer] ?? { username: '' };
    const change = args.email ? { email: `${username}-${args.n}@example.com` } : { name: `Name ${args.n}` };
    await system.run(updateCustomer({ db: system.service.db, actor: 'tests' }, { username, ...change }));
  },
);

const lock = command('lock', { customer }, async (_, system, args) => {
  const one = system.customers[args.customer];
  if (one) await system.lockCustomer(one);
});

const interruptLater = command('interrupt', { instance, interruption }, async (_, system, args) => {
  const { interrupt } = await system.instance(args.instance);
  interrupt(args.interruption.how, args.interruption.after);
});

const passTime = command('pass time', {}, (_, system) => system.passTime());

const complete = command('complete', { instance, isAwaited }, async (_, system, args) => {
  const one = await system.instance(args.instance);
  await system.run(
    one.complete().catch(() => {}),
    args.isAwaited,
  );
});

/** Repeated ones are more frequent. */
export const commands = [
  ...[addNew, addNew, addNew, addNew, addAgain, addAgain, addForeign, remove, remove, edit],
  ...[detach, deleteCustomer, updateCard, deliver, deliver, loseEvent],
  ...[failLater, heal, lock, interruptLater, passTime, passTime, complete],
];
