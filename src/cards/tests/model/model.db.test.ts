import fc from 'fast-check';
import Stripe from 'stripe';
import { afterAll, test, vi } from 'vitest';
import { services } from '#src/api/services.ts';
import { reconcileCustomer } from '#src/cards/reconcile-customer.ts';
import { testService } from '#tools/testing/api.ts';
import { printedSeed } from '#tools/testing/factories.ts';
import { commands, customersMax, post } from './commands.ts';
import { type Instance, inOwnProcess, inThisProcess, separateServices } from './instance.ts';
import { declinesMax, Model, newCardsMax } from './model.ts';
import { System } from './system.ts';

const settings = {
  DATABASE_POOL: '4',
  LIMIT_REQUESTS_PER_MINUTE: '1000000',
  LIMIT_DECLINES_PER_HOUR: String(declinesMax),
  LIMIT_NEW_CARDS_PER_HOUR: String(newCardsMax),
};
const service = await testService(settings);
separateServices();
// What a dead instance goes on with fails.
vi.spyOn(console, 'warn').mockImplementation(() => {});
// A retry of the SDK comes at once.
Object.assign(Stripe.prototype, { getInitialNetworkRetryDelay: () => 0 });
const stepsMax = Number(process.env.STEPS ?? (process.env.FULL ? 20_000 : 80));
/** One sequence in so many has processes of its own, and is shorter because they start slowly. */
const ownProcessesEvery = 15;
/** One sequence in so many has no faults. */
const calmEvery = 4;
/** One that takes longer hangs. */
const sequenceMaxMs = 300_000;
const shrinkingMaxMs = 120_000;
const progressEveryMs = 10_000;
const say = (text: string) => process.stdout.write(`cards: ${text}\n`);

test(`cards: all invariants hold after ${stepsMax} random steps`, { timeout: 36_000_000 }, async () => {
  const startedAt = performance.now();
  let reportedAt = startedAt;
  let steps = 0;
  for (let seed = printedSeed('cards'); steps < stepsMax; seed++) {
    const ran = await runSequence(seed);
    steps += ran;
    const now = performance.now();
    if (now - reportedAt < progressEveryMs && steps < stepsMax) continue;
    reportedAt = now;
    const perSecond = (steps / (now - startedAt)) * 1_000;
    say(`${steps} of ${stepsMax} steps, ${perSecond.toFixed(1)} per second, at seed ${seed}`);
  }
});

/** In this process, and used again, because connections are slow to open. */
const instances = new Map<number, Promise<Instance>>();
afterAll(async () => {
  for (const instance of instances.values()) await (await instance).end();
});

/** @returns the number of steps @throws what failed, with the seed and the shortest sequence that was found in time */
async function runSequence(seed: number): Promise<number> {
  const [start, maxCommands] =
    seed % ownProcessesEvery === 0 ? ([inOwnProcess, 10] as const) : ([inThisProcess, 60] as const);
  const isCalm = seed % calmEvery === 0;
  let steps: number | undefined;
  let hasFailed = false;
  const property = fc.asyncProperty(fc.commands(commands, { maxCommands, size: 'max' }), async (sequence) => {
    steps ??= [...sequence].length;
    // A calm one must not meet connections that broke earlier.
    const isShared = start === inThisProcess && !isCalm;
    const system = await new System(service, start, isShared ? instances : undefined).open(customersMax);
    const model = new Model(isCalm);
    try {
      await fc.asyncModelRun(() => ({ model, real: system }), sequence);
      await settle(system, model);
    } catch (error) {
      if (!hasFailed) say(`seed ${seed} fails, looks for a shorter sequence: ${sequence}\n${error}`);
      hasFailed = true;
      await system.close();
      throw error;
    }
    if (!isShared) await system.close();
  });
  const limits = { timeout: sequenceMaxMs, interruptAfterTimeLimit: shrinkingMaxMs };
  await fc.assert(property, { seed, numRuns: 1, ...limits });
  return steps ?? 0;
}

async function settle(system: System, model: Model): Promise<void> {
  if (model.isCalm) await system.idle();
  await system.settle();
  await model.expectInvariants(system, false);
  // Nothing that happened before keeps a customer from going on.
  await model.passHour(system);
  await Promise.all(model.posts.map((one) => post(model, system, one)));
  await system.idle();
  await Promise.all(system.customers.map(({ id }) => reconcileCustomer(services(), id)));
  model.isReconciled();
  await system.passDay();
  await system.settle();
  await model.expectHandledOnce(system);
  await model.expectInvariants(system, true);
}
