/** Faults that tests inject: what goes wrong, in which operation, how often. */
import type { OperationName } from '../api/operation.ts';
import type { Store } from './store.ts';

export const FAULT_KINDS = [
  '400',
  '401',
  '403',
  '500',
  '500_after_commit',
  '429',
  'hang',
  'reset',
  'broken_body',
  'drop_after_commit',
  'slow',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export type Fault = {
  /** `*` for all operations. */
  operation: OperationName | '*';
  kind: FaultKind;
  /** The number of calls that fail; 1 by default. */
  times: number;
  /** The number of calls that succeed first; 0 by default. */
  after: number;
  /** For `slow`. */
  delayMs: number;
};
export type FaultState = Fault & { id: number; fired: number };

export function addFault(store: Store, fault: Fault): FaultState {
  const { lastInsertRowid } = store.database
    .prepare('INSERT INTO faults (operation, kind, remaining, skip, delay_ms) VALUES (?, ?, ?, ?, ?)')
    .run(fault.operation, fault.kind, fault.times, fault.after, fault.delayMs);
  return { ...fault, id: Number(lastInsertRowid), fired: 0 };
}

/** @returns each fault with its remaining `times` and `after`, and how often it `fired` */
export function listFaults(store: Store): FaultState[] {
  const rows = store.database.prepare('SELECT * FROM faults ORDER BY id').all();
  return rows.map((row) => ({
    id: Number(row.id),
    operation: row.operation as FaultState['operation'],
    kind: row.kind as FaultKind,
    times: Number(row.remaining),
    after: Number(row.skip),
    delayMs: Number(row.delay_ms),
    fired: Number(row.fired),
  }));
}

export function clearFaults(store: Store): void {
  store.database.exec('DELETE FROM faults');
}

/** Counts a call against the faults of its operation. @returns the fault that applies, if any */
export function takeFault(store: Store, operation: OperationName): FaultState | undefined {
  return store.transaction(() => {
    const pending = listFaults(store).filter(
      (fault) => fault.times > 0 && (fault.operation === operation || fault.operation === '*'),
    );
    const hit = pending.find((fault) => fault.after === 0);
    const skip = store.database.prepare('UPDATE faults SET skip = skip - 1 WHERE id = ?');
    for (const fault of pending) if (fault.after > 0) skip.run(fault.id);
    if (hit)
      store.database
        .prepare('UPDATE faults SET remaining = remaining - 1, fired = fired + 1 WHERE id = ?')
        .run(hit.id);
    return hit;
  });
}
