/** The performance requirements, as ratios within one run. One is met if every run meets it. */
import type { CardResult } from './cards.ts';
import type { LedgerResults } from './ledger.ts';
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
  ledger: LedgerResults;
  importedPerSecond: number;
  secondStartMs: number;
  memory: { target: string; startMs: number; startMib: number; endMib: number }[];
};

export type Requirement = {
  name: string;
  comparison: keyof typeof comparisons;
  bound: number;
  unit: string;
  measured: number;
  /** Of what is measured in rounds. */
  worstRound?: number;
};

/** The dashboard of a popular Next.js and Drizzle starter reaches 0.9% of the same control. */
const overviewPercentMin = 2;

export function requirements(results: Results): Requirement[] {
  const { overview, outlineDrawMs, pages, secondStartMs, ledger } = results;
  const overviewRatio = (overview[0]?.perSecond ?? Number.NaN) / (overview.at(-1)?.perSecond ?? Number.NaN);
  const pageOf = (path: string) => pages.find(({ page }) => page === path);
  const longest = (times: { p95Ms: number }[]) =>
    (times.at(-1)?.p95Ms ?? Number.NaN) / (times[0]?.p95Ms ?? Number.NaN);
  return [
    ...readRequirements(results.reads),
    row('overview vs. Fastify 5 (detail)', '≥', overviewPercentMin, '%', overviewRatio * 100),
    row('overview complete, one client', '≤', 5, 'ms', pageOf('/')?.completeMs),
    row('overview, CPU time', '≤', 3.5, 'ms', pageOf('/')?.processorMs),
    row('payout page, CPU time', '≤', 7, 'ms', pageOf('/payout')?.processorMs),
    row('payout page', '≤', 70, 'kB', (pageOf('/payout')?.htmlBytes ?? Number.NaN) / 1000),
    row('detail of 50,000 points with gzip, CPU time', '≤', 2, 'ms', largeDetailMs(results)),
    ...stress(results),
    row('payout, p95 with 10^7 entries vs. 10^3', '≤', 1.1, '×', longest(ledger.payout)),
    ...Object.entries(ledger.transactions).map(([filter, times]) =>
      row(`transactions (${filter}), p95 with 10^7 entries vs. 10^3`, '≤', 2, '×', longest(times)),
    ),
    row('import of charges', '≥', 60_000, 'rows/s', results.importedPerSecond),
    row('second start', '<', 1.5, 's', secondStartMs / 1000),
    row('outline of 50,000 points drawn', '<', 200, 'ms', median(outlineDrawMs)),
  ];
}

/** @param runs what each of them measured, in the same order */
export function requirementTable(runs: Requirement[][]): string {
  const names = runs.length === 1 ? ['measured'] : runs.map((_, index) => `run ${index + 1}`);
  const rows = (runs[0] ?? []).map(({ name, comparison, bound, unit }, index) => {
    const all = runs.flatMap((run) => run[index] ?? []);
    const rounds = all.flatMap(({ worstRound }) => worstRound ?? []);
    const worst = comparison === '≥' ? Math.min(...rounds) : Math.max(...rounds);
    const isMet = all.every(({ measured }) => comparisons[comparison](measured, bound));
    return [
      name,
      `${comparison} ${bound.toLocaleString('en-US')} ${unit}`.trim(),
      ...all.map(({ measured }) => measured),
      rounds.length === 0 ? '' : worst,
      isMet ? 'yes' : '**no**',
    ];
  });
  return table(['', 'required', ...names, 'worst round', 'met in all'], rows);
}

/** Without those of connections that were not measured. */
export function readRequirements(reads: ReadResult[]): Requirement[] {
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
  ].filter((requirement) => requirement !== undefined);
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
): Requirement | undefined {
  const all = ratios(
    reads,
    { operation, connections, target },
    { operation: controlOperation, target: control },
  );
  if (all.length === 0) return undefined;
  const name = `${operation}, ${connections}: ${target} vs. ${control}${operation === controlOperation ? '' : `’s ${controlOperation}`}`;
  return row(name, '≥', ratioMin, '×', median(all), Math.min(...all));
}

/** No control may be faster for the slowest hundredth. */
function latency(reads: ReadResult[], operation: Operation, connections: number): Requirement | undefined {
  const rowsOf = reads.filter((read) => read.operation === operation && read.connections === connections);
  const p99s = (read: ReadResult) => read.rounds.map(({ p99Ms }) => p99Ms);
  const service = rowsOf.find(({ target }) => target === 'service');
  if (!service) return undefined;
  const controls = rowsOf.filter(({ target }) => !target.startsWith('service'));
  const p99MsMax = Math.min(...controls.map((control) => median(p99s(control))));
  const all = p99s(service).map((p99Ms) => p99Ms / p99MsMax);
  return row(
    `${operation}, ${connections}: p99 vs. the best control’s`,
    '≤',
    1,
    '×',
    median(all),
    Math.max(...all),
  );
}

function stress({ overload: { before, during, after }, soak }: Results): Requirement[] {
  const [first, last] = [soak.minutes[0], soak.minutes.at(-1)];
  const agingRatio = (last?.controlRatio ?? Number.NaN) / (first?.controlRatio ?? Number.NaN);
  const memoryRatio = (last?.memoryMib ?? Number.NaN) / soak.memoryAtStartMib;
  return [
    row('10× overload: lost requests', '≤', 0, '', during.lost),
    row('10× overload: p99 of 200s', '<', 1000, 'ms', during.p99Ms),
    // Not a number without 503s, which is met.
    row('10× overload: p99 of 503s', '<', 1000, 'ms', during.overloadP99Ms || 0),
    row('after the overload vs. before', '≥', 0.9, '×', after.perSecond / before.perSecond),
    row('last minute of two million requests vs. first (each vs. a control)', '≥', 0.95, '×', agingRatio),
    row('memory after two million requests vs. after the warm-up', '≤', 1.1, '×', memoryRatio),
    row('memory after two million requests', '≤', 350, 'MiB', last?.memoryMib),
  ];
}

const comparisons = {
  '<': (measured: number, bound: number) => measured < bound,
  '≤': (measured: number, bound: number) => measured <= bound,
  '≥': (measured: number, bound: number) => measured >= bound,
};

/** @param measured not a number without a measurement, which does not meet anything */
function row(
  name: string,
  comparison: Requirement['comparison'],
  bound: number,
  unit: string,
  measured = Number.NaN,
  worstRound?: number,
): Requirement {
  return { name, comparison, bound, unit, measured, ...(worstRound !== undefined && { worstRound }) };
}
