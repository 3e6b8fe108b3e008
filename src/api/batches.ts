import { isTransientDatabaseError } from './problems.ts';

type Waiting<Item, Result> = {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
};

type Options = {
  /** Items of one statement. */
  itemsMax: number;
  /** Statements at a time. Items that come meanwhile wait for the next one. */
  runningMax: number;
};

/**
 * Runs one statement for all callers of a turn of the event loop. One that fails because of an item is repeated for each
 * item alone, and must leave nothing behind.
 * @param run returns a result for each item, in order
 */
export function createBatches<Item, Result>(
  run: (items: Item[]) => Promise<Result[]>,
  { itemsMax, runningMax }: Options,
) {
  const waiting: Waiting<Item, Result>[] = [];
  let running = 0;
  let isScheduled = false;
  const fill = () => {
    isScheduled = false;
    while (waiting.length > 0 && running < runningMax) void runBatch(waiting.splice(0, itemsMax));
  };
  const runBatch = async (batch: Waiting<Item, Result>[]) => {
    running += 1;
    await settle(batch);
    running -= 1;
    fill();
  };
  const settle = async (batch: Waiting<Item, Result>[]): Promise<void> => {
    try {
      const results = await run(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      if (isTransientDatabaseError(error)) {
        // The others have waited as long for the same database.
        for (const { reject } of [...batch, ...waiting.splice(0)]) reject(error);
      } else if (batch.length > 1) await Promise.all(batch.map((one) => settle([one])));
      else for (const { reject } of batch) reject(error);
    }
  };
  return {
    add: (item: Item): Promise<Result> =>
      new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        if (isScheduled || running >= runningMax) return;
        isScheduled = true;
        setImmediate(fill);
      }),
    waitingCount: () => waiting.length,
  };
}
