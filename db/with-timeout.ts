import { DatabaseBusyError } from './errors.ts';

/** @throws what `onLate` returns after the time, unless the result has arrived and waits for this busy process */
export async function withTimeout<T>(
  result: Promise<T>,
  timeoutMs: number,
  onLate: () => Error = () => new DatabaseBusyError('The database did not respond in time.'),
): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const error = onLate();
    // After all timers that are due, so that the caller's next statement uses a connection that replaces a silent one.
    setImmediate(() => reject(error));
  }, timeoutMs).unref();
  try {
    return await Promise.race([result, late]);
  } finally {
    clearTimeout(timer);
  }
}
