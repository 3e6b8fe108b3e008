import fc from 'fast-check';
import { test } from 'vitest';
import { services } from '#src/api/services.ts';
import { reconcileCustomer } from '#src/cards/reconcile-customer.ts';
import { testService } from '#tools/testing/api.ts';
import { printedSeed } from '#tools/testing/seed.ts';
import { commands, customersMax, post } from './commands.ts';
import { inOwnProcess, inThisProcess, separateServices } from './instance.ts';
import { Promises } from './promises.ts';
import { System } from './system.ts';

const many = '1000000';
const unlimited = {
  LIMIT_REQUESTS_PER_MINUTE: many,
  LIMIT_DECLINES_PER_HOUR: many,
  LIMIT_NEW_CARDS_PER_HOUR: many,
};
const service = await testService(unlimited);
separateServices();
const fullSteps = Number(process.env.STEPS ?? (process.env.FULL ? 20_000 : 0));
const stepsMax = fullSteps || 300;
/** The sample ends earlier on a busy machine. */
const timeMaxMs = fullSteps ? Number.POSITIVE_INFINITY : 12_000;
/** One sequence in so many has processes of its own, and is shorter because they start slowly. */
const ownProcessesEvery = 15;
const sequences = (maxCommands: number) => fc.commands(commands, { maxCommands, size: 'max' });

test(`cards: all promises hold after ${stepsMax} random steps`, { timeout: 36_000_000 }, async () => {
  const seed = printedSeed('cards');
  const startedAt = performance.now();
  let steps = 0;
  for (let round = 0; steps < stepsMax && performance.now() - startedAt < timeMaxMs; round++) {
    const [start, commandsMax] =
      round % ownProcessesEvery === 5 ? ([inOwnProcess, 10] as const) : ([inThisProcess, 30] as const);
    const property = fc.asyncProperty(sequences(commandsMax), async (sequence) => {
      const system = await new System(service, start).open(customersMax);
      const promises = new Promises();
      try {
        await fc.asyncModelRun(() => ({ model: promises, real: system }), sequence);
        await settle(system, promises);
      } finally {
        await system.close();
      }
      steps += [...sequence].length;
    });
    await fc.assert(property, { seed: seed + round, numRuns: 1 });
  }
});

async function settle(system: System, promises: Promises): Promise<void> {
  await system.settle();
  await promises.expectFulfilled(system);
  // Nothing that happened before keeps a customer from going on.
  for (const one of promises.posts) await post(promises, system, one);
  for (const { id } of system.customers) await reconcileCustomer(services(), id, true);
  promises.isReconciled();
  await system.settle();
  await promises.expectFulfilled(system);
}
