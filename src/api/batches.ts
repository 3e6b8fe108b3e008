import { LRUCache } from 'lru-cache';
import { DatabaseBusyError, isTransient } from '#db/errors.ts';

type Waiting<Item, Result> = {
  item: Item;
  isLate: boolean;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
};

/** How long an item waits for its result: the time limit of a statement and for its response. */
const waitMaxMs = 4_500;
/** How many items may wait that long, so that a moment without a response of the database causes no errors. */
const longWaitsMax = { ofGroup: 500, ofAll: 5_000 };
/** Groups whose queues are kept for their next item. */
const idleGroupsMax = 1_000;
/** How long further items wait. Immediate refusals would make callers retry at once, which costs more than the wait. */
const overloadWaitMs = 500;

type Options = {
  /** Items of one statement. */
  itemsMax: number;
  /** Statements at a time. Items that come meanwhile wait for the next one. */
  runningMax: number;
};

/**
 * Runs one statement for all callers of a turn of the event loop. One that fails, but not because of the database's state, is
 * repeated for each item alone, and must leave nothing behind.
 * @param run returns a result for each item, in order
 */
export function createBatches<Item, Result>(
  run: (items: Item[]) => Promise<Result[]>,
  { itemsMax, runningMax }: Options,
) {
  type Queue = Waiting<Item, Result>[];
  // Empty queues are kept, because a Map whose keys come and go would keep items in memory after their results.
  // Decision: docs/decisions/0038-what-makes-reads-fast.md.
  const queues = new LRUCache<string, Queue>({ max: idleGroupsMax, memoMethod: () => [] });
  /** Queues of the waiting groups, in round-robin order. */
  const turns: Queue[] = [];
  let waitingCount = 0;
  let running = 0;
  let isScheduled = false;
  const fill = () => {
    isScheduled = false;
    while (turns.length > 0 && running < runningMax) void runBatch(take(itemsMax));
  };
  const take = (max: number): Queue => {
    const taken: Queue = [];
    while (taken.length < max) {
      const queue = turns.shift();
      const next = queue?.shift();
      if (!queue || !next) break;
      taken.push(next);
      // Behind the others.
      if (queue.length > 0) turns.push(queue);
    }
    waitingCount -= taken.length;
    return taken;
  };
  const runBatch = async (batch: Queue) => {
    running += 1;
    await settle(batch);
    running -= 1;
    fill();
  };
  const settle = async (batch: Queue): Promise<void> => {
    try {
      const results = await run(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      const isOfItem = !isTransient(error);
      const onTime = batch.filter(({ isLate }) => !isLate);
      if (isOfItem && batch.length > 1) await Promise.all(onTime.map((one) => settle([one])));
      else for (const { reject } of batch) reject(error);
    }
  };
  return {
    /**
     * @param group takes turns with the others, so that its items do not delay theirs
     * @param options.isOverloadExempt whether it waits as long as the database may take, even behind many others
     * @throws DatabaseBusyError without a result in time
     */
    add: (item: Item, group = '', { isOverloadExempt = false } = {}): Promise<Result> =>
      new Promise((resolve, reject) => {
        const queue = queues.memo(group);
        const isOverload = queue.length >= longWaitsMax.ofGroup || waitingCount >= longWaitsMax.ofAll;
        const one: Waiting<Item, Result> = {
          item,
          isLate: false,
          resolve: (result) => {
            clearTimeout(timer);
            resolve(result);
          },
          reject: (error) => {
            clearTimeout(timer);
            reject(error);
          },
        };
        const timer = setTimeout(
          () => {
            one.isLate = true;
            const index = queue.indexOf(one);
            if (index !== -1) {
              queue.splice(index, 1);
              if (queue.length === 0) turns.splice(turns.indexOf(queue), 1);
              waitingCount -= 1;
            }
            reject(new DatabaseBusyError('The database did not respond in time.'));
          },
          isOverload && !isOverloadExempt ? overloadWaitMs : waitMaxMs,
        );
        if (queue.length === 0) turns.push(queue);
        queue.push(one);
        waitingCount += 1;
        if (isScheduled || running >= runningMax) return;
        isScheduled = true;
        setImmediate(fill);
      }),
    waitingCount: () => waitingCount,
  };
}
