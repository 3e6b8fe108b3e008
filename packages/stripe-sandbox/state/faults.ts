/** Faults that tests inject: what goes wrong, in which operation, how often. */
import { setTimeout } from 'node:timers/promises';

export const FAULT_KINDS = [
  ...(['400', '401', '403', '500', '500_after_commit', '429', 'hang', 'reset'] as const),
  ...(['broken_body', 'drop_after_commit', 'slow'] as const),
];
export type FaultKind = (typeof FAULT_KINDS)[number];

export type Fault = {
  /** `*` for all operations. */
  operation: string;
  kind: FaultKind;
  /** The number of calls that fail; 1 by default. */
  times: number;
  /** The number of calls that succeed first; 0 by default. */
  after: number;
  /** For `slow`. */
  delayMs: number;
};

/** Until the sandbox ends: `times` and `after` count down, and `fired` counts up. */
export class Faults {
  private list: (Fault & { id: number; fired: number })[] = [];
  private lastId = 0;
  private cleared = new AbortController();

  add(fault: Fault): object {
    this.lastId += 1;
    const added = { ...fault, id: this.lastId, fired: 0 };
    this.list.push(added);
    return added;
  }

  all(): object[] {
    return this.list;
  }

  clear(): void {
    this.list = [];
    this.cleared.abort();
    this.cleared = new AbortController();
  }

  /** Waits until the time is over or the faults are cleared. */
  async delay(ms: number): Promise<void> {
    await setTimeout(ms, undefined, { signal: this.cleared.signal }).catch(() => {});
  }

  /** Counts a call against the faults of its operation. @returns the fault that applies, if any */
  take(operation: string): Fault | undefined {
    const pending = this.list.filter(
      (fault) => fault.times > 0 && (fault.operation === operation || fault.operation === '*'),
    );
    const hit = pending.find(({ after }) => after === 0);
    for (const fault of pending) if (fault.after > 0) fault.after -= 1;
    if (!hit) return undefined;
    hit.times -= 1;
    hit.fired += 1;
    return { ...hit };
  }
}
