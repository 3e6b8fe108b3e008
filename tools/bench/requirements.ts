/** The performance requirements, as ratios within one run. */

import type { PageSpeed } from './browser.ts';
import type { CardResult } from './cards.ts';
import { median, table } from './measure.ts';
import type { OverviewRate, PageResult } from './pages.ts';
import type { PayloadSizeResult, ReadResult } from './reads.ts';
import type { OverloadResult, SoakResult } from './stress.ts';

export type Results = {
  reads: ReadResult[];
  ceiling: Record<string, number> | undefined;
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
  const rows = [
    ...(['detail', 'payout'] as const).flatMap((operation) => controlRatios(results.reads, operation)),
    overviewRate(results),
    row('overview complete, one client', '< 16 ms', overviewMs(results), overviewMs(results) < 16, 'ms'),
    ...stress(results),
    row('second start', '< 5 s', results.secondStartMs / 1000, results.secondStartMs < 5000, 's'),
    row(
      'outline of 50,000 points drawn',
      '< 200 ms',
      median(results.outlineDrawMs),
      median(results.outlineDrawMs) < 200,
      'ms',
    ),
  ];
  return table(['', 'required', 'measured', 'met'], rows);
}

function controlRatios(reads: ReadResult[], operation: ReadResult['operation']): string[][] {
  const readOf = (target: string) =>
    reads.find((read) => read.operation === operation && read.connections === 32 && read.target === target);
  const rate = (target: string) => readOf(target)?.perSecond ?? Number.NaN;
  const p99 = (target: string) => readOf(target)?.p99Ms ?? Number.NaN;
  const p99MsMax = p99('Fastify 5');
  const ratios = [
    ['Fastify 5', 1],
    ['node:http', 0.85],
    ['next start', 6],
  ] as const;
  return [
    ...ratios.map(([control, ratioMin]) => {
      const ratio = rate('service') / rate(control);
      return row(`${operation}: service vs. ${control}`, `≥ ${ratioMin}`, ratio, ratio >= ratioMin, '×');
    }),
    row(
      `${operation}: p99`,
      `≤ ${p99MsMax} ms (Fastify 5)`,
      p99('service'),
      p99('service') <= p99MsMax,
      'ms',
    ),
  ];
}

function overviewRate({ overview }: Results): string[] {
  const ratio = (overview[0]?.perSecond ?? Number.NaN) / (overview.at(-1)?.perSecond ?? Number.NaN);
  return row(
    'overview vs. Fastify 5 (detail)',
    `≥ ${overviewRatioMin}`,
    ratio,
    ratio >= overviewRatioMin,
    '×',
    4,
  );
}

function overviewMs({ pages }: Results): number {
  return pages.find(({ page }) => page === '/')?.completeMs ?? Number.NaN;
}

function stress({ overload: { before, during, after }, soak }: Results): string[][] {
  const recovered = after.perSecond / before.perSecond;
  const [first, last] = [soak.minutes[0], soak.minutes.at(-1)];
  const agingRatio = (last?.controlRatio ?? Number.NaN) / (first?.controlRatio ?? Number.NaN);
  const memoryRatio = (last?.memoryMib ?? Number.NaN) / soak.memoryAtStartMib;
  return [
    row('10× overload: lost requests', '0', during.lost, during.lost === 0, ''),
    row('10× overload: p99 of 200s', '< 1000 ms', during.p99Ms, during.p99Ms < 1000, 'ms'),
    row(
      '10× overload: p99 of 503s',
      '< 1000 ms',
      during.overloadP99Ms,
      !(during.overloadP99Ms >= 1000),
      'ms',
    ),
    row('after the overload vs. before', '≥ 0.9', recovered, recovered >= 0.9, '×'),
    row(
      'last minute of a day of requests vs. first (each vs. a control)',
      '≥ 0.95',
      agingRatio,
      agingRatio >= 0.95,
      '×',
    ),
    row(
      'memory after a day of requests vs. after the warm-up',
      '≤ 1.1',
      memoryRatio,
      memoryRatio <= 1.1,
      '×',
    ),
  ];
}

function row(
  requirement: string,
  required: string,
  measured: number,
  isMet: boolean,
  unit: string,
  digits = 2,
): string[] {
  const text = Number.isInteger(measured) ? `${measured}` : measured.toFixed(digits);
  return [requirement, required, `${text} ${unit}`.trim(), isMet ? 'yes' : '**no**'];
}
