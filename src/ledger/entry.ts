export const entryKinds = ['delivery', 'adjustment', 'credit', 'payment'] as const;
export type EntryKind = (typeof entryKinds)[number];

/** An entry as its readers see it. `amountCents` is signed: payments and credits are negative. */
export type LedgerEntry = {
  id: number;
  kind: EntryKind;
  amountCents: bigint;
  takesEffectAt: Date;
  description: string;
  reference: string;
  /** The reference of the entry that this one takes back. */
  reverses: string | null;
  /** The reference of the entry that takes this one back. */
  reversedBy: string | null;
};

export const longestDescription = 500;
export const longestReference = 190;

/** @returns what is wrong with the amount for the kind, or undefined; amounts are given positive but for adjustments */
export function kindProblem(kind: EntryKind, amountCents: bigint): string | undefined {
  if (kind === 'adjustment')
    return amountCents === 0n ? 'An adjustment of nothing changes nothing.' : undefined;
  if (amountCents < 0n) {
    return `The amount of a ${kind} is given positive: the kind turns the sign. To lower a balance, use a credit.`;
  }
  return amountCents === 0n && kind !== 'delivery' ? `A ${kind} of nothing changes nothing.` : undefined;
}

/** The amount as the ledger keeps it: what lowers the balance is negative. */
export function signedCents(kind: EntryKind, amountCents: bigint): bigint {
  return kind === 'credit' || kind === 'payment' ? -amountCents : amountCents;
}
