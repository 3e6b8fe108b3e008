/** The performance requirements, as ratios within one run. One holds if it holds in three whole runs. */

import type { CardResult } from './cards.ts';
import { median, table } from './measure.ts';
import type { OverviewRate, PageResult, PageSpeed } from './pages.ts';
import { type Operation, type PayloadSizeResult, type ReadResult, ratios, type TargetName } from './reads.ts';
import type { OverloadResult, SoakResult } from './stress.ts';

export type Results = {
  reads: ReadResult[];
  cards: CardResult[];
  pages: PageResult[];
  overview: OverviewRate[];
  payloadSizes: PayloadSizeResult[];
  overload: OverloadResult;
  pageSpeeds: PageSpeed[];
  outlineDrawMs: number[];
  soak: SoakResult;
  ledger: string;
  secondStartMs: number;
  memory: { target: string; startMs: number; startMib: number; endMib: number }[];
  machine: string;
  commit: string;
};

/** The dashboard of a popular Next.js and Drizzle starter reaches 0.009 of the same control. */
const overviewRatioMin = 0.02;

export function requirements(results: Results): string {
  const { overview, outlineDrawMs, pages, secondStartMs } = results;
  const overviewRatio = (overview[0]?.perSecond ?? Number.NaN) / (overview.at(-1)?.perSecond ?? Number.NaN);
  const pageOf = (path: string) => pages.find(({ page }) => page === path);
  return requirementTable([
    ...readRequirements(results.reads),
    row('overview vs. Fastify 5 (detail)', '≥', overviewRatioMin, '×', overviewRatio, { digits: 4 }),
    row('overview complete, one client', '≤', 5, 'ms', pageOf('/')?.completeMs ?? Number.NaN),
    row('overview, processor time', '≤', 3.5, 'ms', pageOf('/')?.processorMs ?? Number.NaN),
    row('payout page, processor time', '≤', 7, 'ms', pageOf('/payout')?.processorMs ?? Number.NaN),
    row('payout page', '≤', 70, 'kB', (pageOf('/payout')?.htmlBytes ?? Number.NaN) / 1000),
    row('detail of 50,000 points with gzip, processor time', '≤', 2, 'ms', largeDetailMs(results)),
    ...stress(results),
    row('second start', '<', 1.5, 's', secondStartMs / 1000),
    row('outline of 50,000 points drawn', '<', 200, 'ms', median(outlineDrawMs)),
  ]);
}

export function requirementTable(rows: string[][]): string {
  return table(['', 'required', 'median', 'worst round', 'met'], rows);
}

/** Without those of connections that were not measured. */
export function readRequirements(reads: ReadResult[]): string[][] {
  return [
    ...(['detail', 'payout'] as const).flatMap((operation) => [
      ...[32, 256].flatMap((connections) => [
        ratio(reads, [operation, connections, 'service'], 'Fastify 5', 1.8),
        ratio(reads, [operation, connections, 'service'], 'node:http, 1 connection', 1.3),
        latency(reads, operation, connections),
      ]),
      ratio(reads, [operation, 1, 'service'], 'Fastify 5', 0.9),
      ratio(reads, [operation, 32, 'service'], 'next start', 6),
    ]),
    ratio(reads, ['detail', 64, 'service, metrics and traces'], 'service', 0.97),
    ...[32, 256].flatMap((connections) => [
      ratio(reads, ['401', connections, 'service'], 'Fastify 5', 1.5),
      ratio(reads, ['403', connections, 'service'], 'Fastify 5', 1.5),
      ratio(reads, ['429', connections, 'service, default limits'], 'Fastify 5', 1.5, '403'),
    ]),
  ].filter((row) => row !== undefined);
}

function largeDetailMs({ payloadSizes }: Results): number {
  const large = payloadSizes.find(({ points, isCompressed }) => points === 50_000 && isCompressed);
  return median((large?.rounds ?? []).map(({ userUs, kernelUs }) => (userUs + kernelUs) / 1000));
}

/** Controls without limits have no 429, so their 403 is compared. @returns undefined if this was not measured */
function ratio(
  reads: ReadResult[],
  [operation, connections, target]: [Operation, number, TargetName],
  control: TargetName,
  ratioMin: number,
  controlOperation: Operation = operation,
): string[] | undefined {
  const all = ratios(
    reads,
    { operation, connections, target },
    { operation: controlOperation, target: control },
  );
  if (all.length === 0) return undefined;
  const name = `${operation}, ${connections}: ${target} vs. ${control}${operation === controlOperation ? '' : `’s ${controlOperation}`}`;
  return row(name, '≥', ratioMin, '×', median(all), { worst: Math.min(...all) });
}

/** No control may be faster for the slowest hundredth. */
function latency(reads: ReadResult[], operation: Operation, connections: number): string[] | undefined {
  const rowsOf = reads.filter((read) => read.operation === operation && read.connections === connections);
  const p99s = (read: ReadResult) => read.rounds.map(({ p99Ms }) => p99Ms);
  const service = rowsOf.find(({ target }) => target === 'service');
  if (!service) return undefined;
  const controls = rowsOf.filter(({ target }) => !target.startsWith('service'));
  const p99MsMax = Math.min(...controls.map((control) => median(p99s(control))));
  return row(`${operation}, ${connections}: p99`, '≤', p99MsMax, 'ms', median(p99s(service)), {
    required: `≤ ${p99MsMax.toFixed(1)} ms (best control)`,
    digits: 1,
    worst: Math.max(...p99s(service)),
  });
}

function stress({ overload: { before, during, after }, soak }: Results): string[][] {
  const [first, last] = [soak.minutes[0], soak.minutes.at(-1)];
  const agingRatio = (last?.controlRatio ?? Number.NaN) / (first?.controlRatio ?? Number.NaN);
  const memoryRatio = (last?.memoryMib ?? Number.NaN) / soak.memoryAtStartMib;
  return [
    row('10× overload: lost requests', '≤', 0, '', during.lost, { required: '0' }),
    row('10× overload: p99 of 200s', '<', 1000, 'ms', during.p99Ms),
    // Not a number without 503s, which is met.
    row('10× overload: p99 of 503s', '<', 1000, 'ms', during.overloadP99Ms || 0),
    row('after the overload vs. before', '≥', 0.9, '×', after.perSecond / before.perSecond),
    row('last minute of two million requests vs. first (each vs. a control)', '≥', 0.95, '×', agingRatio),
    row('memory after two million requests vs. after the warm-up', '≤', 1.1, '×', memoryRatio),
    row('memory after two million requests', '≤', 350, 'MiB', last?.memoryMib ?? Number.NaN),
  ];
}

const comparisons = {
  '<': (measured: number, bound: number) => measured < bound,
  '≤': (measured: number, bound: number) => measured <= bound,
  '≥': (measured: number, bound: number) => measured >= bound,
};

function row(
  requirement: string,
  comparison: keyof typeof comparisons,
  bound: number,
  unit: string,
  measured: number,
  {
    required = `${comparison} ${bound}${unit === '×' ? '' : ` ${unit}`}`,
    digits = 2,
    worst,
  }: { required?: string; digits?: number; worst?: number } = {},
): string[] {
  const text = (value: number) => `${Number.isInteger(value) ? value : value.toFixed(digits)} ${unit}`.trim();
  return [
    requirement,
    required,
    text(measured),
    worst === undefined ? '' : text(worst),
    comparisons[comparison](measured, bound) ? 'yes' : '**no**',
  ];
}
