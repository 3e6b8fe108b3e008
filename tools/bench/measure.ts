/** What all parts share: how long they take, medians, and tables. `QUICK=1` shortens everything, to try a change. */

export const isQuick = Boolean(process.env.QUICK);

export const seconds = (usual: number) => (isQuick ? Math.max(1, usual / 2) : usual);
export const rounds = (usual: number) => (isQuick ? Math.ceil(usual / 2) : usual);

export const say = (text: string) => process.stdout.write(`${text}\n`);

/** @param share from 0 to 1 @returns the value below which this share of the values lies */
export function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: number[]) => quantile(values, 0.5);

/** @param rows of cells; numbers are written with as many digits as say something */
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
