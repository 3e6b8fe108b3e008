import type { Logger } from 'pino';

const storeEveryMs = 1_000;

export type RowBuffer<Row> = ReturnType<typeof createRowBuffer<Row>>;

/**
 * Collects rows and stores them together, after the responses. A crash loses those of the last second.
 * @param rowsMax further rows are left out until the next round
 */
export function createRowBuffer<Row>(
  log: Logger,
  { name, rowsMax, store }: { name: string; rowsMax: number; store: (rows: Row[]) => Promise<unknown> },
) {
  let waiting: Row[] = [];
  let timer: NodeJS.Timeout | undefined;
  const flush = async () => {
    const rows = waiting;
    waiting = [];
    clearTimeout(timer);
    timer = undefined;
    if (rows.length === 0) return;
    await store(rows).catch((error: unknown) => log.warn({ error }, `${name} could not be stored.`));
  };
  return {
    add(row: Row): void {
      if (waiting.length >= rowsMax) return;
      waiting.push(row);
      timer ??= setTimeout(() => void flush(), storeEveryMs).unref();
    },
    flush,
  };
}
