import { lt, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { deleteInBatches } from '#db/delete-in-batches.ts';
import { limitCounts } from '#db/schema.ts';
import { createBatches } from './batches.ts';

/** `rank` is that of the last one counted before; null if the limit was used up. */
type Row = { key: string; rank: number | null; ms_before_next: number };

/** One of what is counted: which of the window it is, or null if the limit was used up before. */
type Counted = { rank: number | null; msBeforeNext: number };

type Item = { key: string; pointsMax: number };

/**
 * Counters across all instances. What comes in a turn of the event loop is counted in one statement. Each caller gets its own rank,
 * so that exactly `pointsMax` are counted before the first refusal. Writes nothing for a counter that is used up.
 * @returns a function that creates a counter, which shares the statement with the others, and how many callers wait
 */
export function createStoredCounters(db: Database, windowSeconds: number) {
  const run = async (items: Item[]): Promise<Counted[]> => {
    const points = new Map<string, Item & { points: number }>();
    for (const item of items)
      points.set(item.key, { ...item, points: (points.get(item.key)?.points ?? 0) + 1 });
    const rows = await addPoints(db, [...points.values()], windowSeconds);
    const rowOf = new Map(rows.map((row) => [row.key, row]));
    return items.map(({ key }) => {
      const row = rowOf.get(key);
      // Another process has created it and used it up meanwhile.
      if (!row) return { rank: null, msBeforeNext: windowSeconds * 1_000 };
      if (row.rank !== null) row.rank += 1;
      return { rank: row.rank, msBeforeNext: row.ms_before_next };
    });
  };
  const batches = createBatches(run, { itemsMax: 1_000, runningMax: 1 });
  const createCounter = (prefix: string, pointsMax: number) => ({
    pointsMax,
    /** @returns the stored name of a counter */
    keyOf: (name: string) => `${prefix}:${name}`,
    count: (key: string) => batches.add({ key, pointsMax }),
    /** Counts nothing. @returns undefined if its window is over */
    find: async (key: string) => {
      const [row] = await db.execute<{ points: number; msBeforeNext: number }>(sql`
        select points, ${msBeforeNext} as "msBeforeNext" from ${limitCounts} l
        where key = ${key} and not ${isOver(windowSeconds)}`);
      return row;
    },
  });
  return { createCounter, waitingCount: batches.waitingCount };
}

/**
 * By the database's clock. A window that ends later than one that begins now is over too: the clock was set back, or a standby
 * whose clock is behind has taken over. Not later than `now()`, because the window may have begun while this statement waited.
 */
const isOver = (windowSeconds: number) =>
  sql`(l.expire <= now() or l.expire > clock_timestamp() + make_interval(secs => ${windowSeconds}))`;

const msBeforeNext = sql`(extract(epoch from expire - now()) * 1000)::float8`;

/** In the order of the keys, so that two processes do not wait for each other's rows. */
function addPoints(
  db: Database,
  items: (Item & { points: number })[],
  windowSeconds: number,
): Promise<Row[]> {
  const over = isOver(windowSeconds);
  return db.execute<Row>(sql`
    with added as (
      select * from json_to_recordset(${JSON.stringify(items)}::text::json)
        as t (key text, points integer, "pointsMax" integer)),
    counted as (
      insert into ${limitCounts} as l (key, points, expire)
      select key, points, now() + make_interval(secs => ${windowSeconds}) from added order by key
      on conflict (key) do update set
        points = case when ${over} then excluded.points else l.points + excluded.points end,
        expire = case when ${over} then excluded.expire else l.expire end
      where ${over} or l.points < (select a."pointsMax" from added a where a.key = l.key)
      returning l.key, l.points, l.expire),
    known as (
      select c.key, c.points - a.points as rank, c.expire from counted c join added a using (key)
      union all
      select l.key, null, l.expire from ${limitCounts} l
      where l.key in (select key from added except select key from counted))
    select key, rank, ${msBeforeNext} as ms_before_next from known`);
}

/** An hour after they expired, because a count waits while its row is being deleted. */
export function deleteOldCounts(db: Database): Promise<void> {
  return deleteInBatches(db, limitCounts, lt(limitCounts.expire, sql`now() - interval '1 hour'`));
}
