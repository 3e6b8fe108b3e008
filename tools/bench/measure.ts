/** Rounds, medians, and tables that all parts of the benchmark share. */

/** Only reads and refusals, in fewer and shorter rounds, to try a change. */
export const isQuick = Boolean(process.env.QUICK);

export const print = (text: string) => process.stdout.write(`${text}\n`);

/**
 * Measures every subject once a round, so that other work on the machine affects all equally.
 * @param warmUpRounds rounds whose samples are dropped
 * @returns the samples of each subject
 */
export async function inTurns<Subject, Sample>(
  subjects: Subject[],
  roundCount: number,
  measure: (subject: Subject) => Promise<Sample>,
  warmUpRounds = 1,
): Promise<Sample[][]> {
  const samples = subjects.map((): Sample[] => []);
  for (let round = -warmUpRounds; round < roundCount; round += 1)
    for (const [index, subject] of subjects.entries()) {
      const sample = await measure(subject);
      if (round >= 0) samples[index]?.push(sample);
    }
  return samples;
}

/** @param share from 0 to 1 @returns the value below which this share of the values lies */
export function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: number[]) => quantile(values, 0.5);

export function table(head: string[], rows: (string | number)[][]): string {
  const line = (cells: (string | number)[]) => `| ${cells.map(cell).join(' | ')} |`;
  const rule = `| ${head.map((_, column) => (column === 0 ? '---' : '---:')).join(' | ')} |`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}

function cell(value: string | number): string {
  if (typeof value === 'string') return value;
  if (!Number.isFinite(value)) return '–';
  if (Number.isInteger(value) || Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return value.toFixed(2);
}
