/** Whose keys and sessions were accepted here: for the log, of requests that are refused before the database is asked. */
const customerIds = new Map<string, number>();
const most = 10_000;

/** @param caller a key, or a session's name, that was accepted */
export function noteCaller(caller: string, customerId: number): void {
  if (customerIds.has(caller)) return;
  if (customerIds.size >= most) customerIds.clear();
  customerIds.set(caller, customerId);
}

/** @returns the id of the customer, where the caller was accepted before */
export function customerIdOf(caller: string): number | undefined {
  return customerIds.get(caller);
}
