/** What can happen, in any order. */
import fc from 'fast-check';
import { addCard } from '#src/api/operations/add-card.ts';
import { removeCard } from '#src/api/operations/remove-card.ts';
import type { RequestHandler } from '#src/api/router.ts';
import { services } from '#src/api/services.ts';
import { reconcileCustomer } from '#src/cards/reconcile-customer.ts';
import { updateCustomer } from '#src/customers/update-customer.ts';
import { call } from '#tools/testing/api.ts';
import { paymentMethodOf, tokenOf } from '../support.ts';
import type { Interruption } from './instance.ts';
import { declinesMax, type Model, type Post } from './model.ts';
import type { System } from './system.ts';

export const customersMax = 3;
type Command = fc.AsyncCommand<Model, System>;
type Run<Args> = (model: Model, system: System, args: Args) => Promise<void>;

function command<Args>(
  name: string,
  args: { [Key in keyof Args]: fc.Arbitrary<Args[Key]> },
  run: Run<Args>,
): fc.Arbitrary<Command> {
  return fc.record(args).map((values) => ({
    check: () => true,
    run: (model, system) => run(model, system, values as Args),
    toString: () => `${name} ${JSON.stringify(values)}`,
  }));
}

const good = ['4242424242424242', '5555555555554444', '378282246310005'] as const;
const declined = ['4000000000000002', '4000000000009995'] as const;
/** Their banks want the cardholder to authenticate, and the bank of the last one declines it nevertheless. */
const authenticated = ['4000000000003220', '4000002760003184', '4000008400001629'] as const;
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
    ...['setupIntents.retrieve', 'setupIntents.cancel', 'customers.retrieve'],
  ),
  kind: fc.constantFrom(
    ...['400', '401', '403', '429', '500', '500_after_commit', 'hang', 'reset', 'broken_body', 'slow'],
    ...['drop_after_commit', 'drop_after_commit', 'drop_after_commit'],
  ),
  times: fc.constantFrom<number>(1, 2, 3, 8),
});
const interruption = fc.record({
  how: fc.constantFrom<Interruption>('kill', 'kill', 'kill', 'restart', 'restart', 'hang'),
  /** So many messages to or from the database and the provider. */
  after: fc.nat({ max: 50 }),
});

const rarely = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> =>
  fc.oneof({ arbitrary: fc.constant(null), weight: 3 }, { arbitrary: value, weight: 1 });

/** How a request is sent, and what happens meanwhile. */
const how = {
  instance,
  isAwaited,
  hasKey: fc.boolean(),
  fault: rarely(fault),
  interruption: rarely(interruption),
};
type Values<Args> = { [Key in keyof Args]: Args[Key] extends fc.Arbitrary<infer Value> ? Value : never };
type How = Values<typeof how>;

const pick = <Item>(items: readonly Item[], index: number): Item | undefined =>
  items[index % (items.length || 1)];

async function failProvider(model: Model, system: System, failing: How['fault']) {
  if (!failing || model.isCalm) return;
  model.isRefused ||= failing.kind === '400';
  await system.service.control('POST faults', { ...failing, delayMs: 100 });
}

/** A client whose server is killed gets no response. */
const unlessKilled = (send: () => Promise<void>) =>
  send().catch((error) => {
    if (!/was killed|fetch failed|terminated/.test(String(error))) throw error;
  });

async function send(
  model: Model,
  system: System,
  args: How,
  request: (handle: RequestHandler) => Promise<void>,
) {
  const { handle, interrupt } = await system.instance(args.instance);
  await failProvider(model, system, args.fault);
  if (args.interruption && !model.isCalm) interrupt(args.interruption.how, args.interruption.after);
  await system.run(
    unlessKilled(() => request(handle)),
    args.isAwaited,
  );
}

/** Somebody else was first. */
const unlessEnded = (error: Error) => {
  if (!/ 409 /.test(error.message)) throw error;
};

const calmly: How = { instance: 0, isAwaited: true, hasKey: false, fault: null, interruption: null };

export async function post(model: Model, system: System, one: Post, args = calmly): Promise<void> {
  const key = args.hasKey ? `add ${one.token}` : undefined;
  await send(model, system, args, async (handle) => {
    const options = { body: { token: one.token, card: {} }, headers: { 'Idempotency-Key': key }, handle };
    const attempt = model.attempt(one);
    const response = await call(addCard, system.customers[one.customer] ?? null, options);
    model.added(system, one, attempt, response, key);
  });
}

async function newPost(
  model: Model,
  system: System,
  card: { customer: number; number: string; expYear?: number; isMethod?: boolean },
): Promise<Post> {
  const token = await tokenOf(system.service, card.number, card.expYear);
  const methodOf = () => paymentMethodOf(system.service, token, AbortSignal.timeout(1_000));
  const one: Post = {
    customer: card.customer,
    // A fault of the provider can meet this client too.
    token: card.isMethod ? await methodOf().catch(() => token) : token,
    last4: card.number.slice(-4),
    sentAt: model.tick(),
  };
  model.posts.push(one);
  return one;
}

const addNew = command(
  'add',
  {
    customer,
    number: fc.constantFrom(...good, ...good, ...authenticated, ...declined),
    expYear: fc.constantFrom(2064, 2065),
    isMethod: fc.boolean(),
    ...how,
  },
  async (model, system, args) => post(model, system, await newPost(model, system, args), args),
);

/** While the bank's check fails, or the provider's responses are lost. */
const addDuringOutage = command(
  'add during an outage',
  {
    customer,
    number: fc.constantFrom(...good),
    instance,
    kind: fc.constantFrom('429', '500', 'drop_after_commit'),
    times: fc.constantFrom(1, 12),
    isDetached: fc.boolean(),
  },
  async (model, system, { kind, times, isDetached, ...args }) => {
    const one = await newPost(model, system, args);
    await failProvider(model, system, { operation: 'setupIntents.create', kind, times: 40 });
    for (let n = 0; n < times; n++) await post(model, system, one, { ...calmly, ...args });
    await system.service.control('DELETE faults');
    if (isDetached) await detachNth(model, system, 0);
  },
);

const testCards = command(
  'test cards',
  { customer, instance, count: fc.integer({ min: 2, max: declinesMax + 2 }) },
  async (model, system, { count, ...args }) => {
    const card = { customer: args.customer, number: declined[0] };
    const testCard = async () =>
      post(model, system, await newPost(model, system, card), { ...calmly, ...args });
    await Promise.all(Array.from({ length: count }, testCard));
  },
);

const addAgain = command('add again', { nth, ...how }, async (model, system, args) => {
  const one = pick(model.posts, args.nth);
  if (one) await post(model, system, one, args);
});

/** Before a response has the client secret, the cardholder cannot do anything. */
const authenticate = command(
  'authenticate',
  {
    nth,
    ending: fc.constantFrom('authenticated', 'authenticated', 'rejected', 'abandoned', 'setup canceled'),
  },
  async (model, system, args) => {
    const one = pick(
      model.posts.filter(({ setupIntentId }) => setupIntentId),
      args.nth,
    );
    if (!one?.setupIntentId) return;
    const action = `POST setup_intents/${one.setupIntentId}/complete_action`;
    if (args.ending === 'setup canceled')
      await services()
        .provider.cancelSetup(one.setupIntentId)
        .catch(() => {});
    else await system.service.control(action, { result: args.ending }).catch(unlessEnded);
  },
);
const addForeign = command('add foreign', { nth, customer, ...how }, async (model, system, args) => {
  const theirs = pick(model.posts, args.nth);
  if (!theirs) return;
  const { token, last4 } = theirs;
  const known = model.posts.find((one) => one.customer === args.customer && one.token === token);
  const one = known ?? { customer: args.customer, token, last4, sentAt: model.tick() };
  if (!known) model.posts.push(one);
  await post(model, system, one, args);
});

async function removeNth(model: Model, system: System, args: How & { nth: number }): Promise<void> {
  const one = pick(
    model.posts.filter(({ uuid }) => uuid),
    args.nth,
  );
  if (!one?.uuid) return;
  const { customer: index, uuid } = one;
  const [row] = await system.service.sql`select last4 from cards where uuid = ${uuid}`;
  for (const last4 of [one.last4, row?.last4]) model.excuse(index, last4);
  const key = args.hasKey ? `remove ${uuid}` : undefined;
  await send(model, system, args, async (handle) => {
    const options = { params: { uuid }, headers: { 'Idempotency-Key': key }, handle };
    model.received(system, index, await call(removeCard, system.customers[index] ?? null, options), key);
  });
}

const remove = command('remove', { nth, ...how }, removeNth);

/** The card stays attached until the completer has detached it. */
const removeDuringOutage = command(
  'remove during an outage',
  { nth, instance, kind: fc.constantFrom('429', '500', 'drop_after_commit') },
  async (model, system, { kind, ...args }) => {
    await failProvider(model, system, { operation: 'paymentMethods.detach', kind, times: 40 });
    await removeNth(model, system, { ...calmly, ...args });
    await system.service.control('DELETE faults');
  },
);

const failLater = command('fail the provider', { fault }, (model, system, args) =>
  failProvider(model, system, args.fault),
);
const heal = command('heal the provider', {}, async (_, system) => {
  await system.service.control('DELETE faults');
});

/** @param nth the latest first */
async function detachNth(model: Model, system: System, nth: number): Promise<void> {
  const method = pick(await system.attachedMethods(), nth);
  if (!method) return;
  model.excuse(method.customer, method.last4);
  await system.service.control(`POST payment_methods/${method.id}/detach`).catch(unlessEnded);
  await model.dropped(system, [method.id]);
}

const detach = command('detach', { nth }, (model, system, args) => detachNth(model, system, args.nth));

const deleteCustomer = command('delete a customer', { nth }, async (model, system, args) => {
  const methods = await system.attachedMethods();
  const owner = pick(methods, args.nth)?.owner;
  if (!owner) return;
  const dropped = methods.filter((method) => method.owner === owner);
  for (const method of dropped) model.excuse(method.customer, method.last4);
  await system.service.control(`DELETE customers/${owner}`);
  await model.dropped(
    system,
    dropped.map(({ id }) => id),
  );
});

const updateCard = command(
  'update a card',
  { nth, number: fc.constantFrom(...good), exp_year: fc.constantFrom(2064, 2066) },
  async (model, system, { nth, ...values }) => {
    const method = pick(await system.attachedMethods(), nth);
    if (!method) return;
    // The updated card replaces one of its new number that expires earlier.
    for (const last4 of [method.last4, values.number.slice(-4)]) model.excuse(method.customer, last4);
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

const loseEvent = command('lose an event', { nth }, async (model, system, args) => {
  const event = pick(await system.events(), args.nth);
  if (!event) return;
  const { id } = event.data.object;
  const { data } = await system.service.control(`GET payment_methods?customer=${id}`);
  model.neverHears([id, ...data.map((method) => String(method.id))]);
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

const lock = command('lock', { customer }, async (model, system, args) => {
  const one = system.customers[args.customer];
  if (one && !model.isCalm) await system.lockCustomer(one);
});

const interruptLater = command('interrupt', { instance, interruption }, async (model, system, args) => {
  if (model.isCalm) return;
  const { interrupt } = await system.instance(args.instance);
  interrupt(args.interruption.how, args.interruption.after);
});

const passTime = command('pass time', {}, async (model, system) => {
  if (!model.isCalm) await system.passTime();
});
const passHour = command('pass an hour', {}, (model, system) => model.passHour(system));
const passDay = command('pass a day', {}, async (model, system) => {
  await model.passHour(system);
  await system.passDay();
});

const reconcile = command('reconcile', { customer, isAwaited }, async (_, system, args) => {
  const { id } = system.customers[args.customer] ?? { id: 0 };
  await system.run(
    reconcileCustomer(services(), id).catch(() => {}),
    args.isAwaited,
  );
});

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
  ...[addDuringOutage, removeDuringOutage, testCards],
  ...[authenticate, authenticate],
  ...[detach, deleteCustomer, updateCard, deliver, deliver, loseEvent],
  ...[failLater, heal, lock, interruptLater, passTime, passTime, passHour, passDay, complete, reconcile],
];
