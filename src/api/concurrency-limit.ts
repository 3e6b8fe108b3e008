/** Lets each customer do at most `max` of something at a time, in this process. */
export function createConcurrencyLimit(max: number) {
  const inProgress = new Map<number, number>();
  const add = (customerId: number, change: 1 | -1) => {
    const count = (inProgress.get(customerId) ?? 0) + change;
    if (count === 0) inProgress.delete(customerId);
    else inProgress.set(customerId, count);
  };
  return {
    /** @returns what ends it (more calls do nothing), or null if `max` are in progress */
    begin: (customerId: number): (() => void) | null => {
      if ((inProgress.get(customerId) ?? 0) >= max) return null;
      add(customerId, 1);
      let isOver = false;
      return () => {
        if (!isOver) add(customerId, -1);
        isOver = true;
      };
    },
  };
}
