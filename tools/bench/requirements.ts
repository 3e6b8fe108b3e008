/** What the service is held to, as ratios within the run. */

import type { CardResult } from './cards.ts';
import type { PageSpeed } from './lighthouse.ts';
import { median, table } from './measure.ts';
import type { OverviewRate, PageResult } from './pages.ts';
import type { ShapeResult } from './payload-size.ts';
import type { ReadResult } from './reads.ts';
import type { OverloadResult, SoakResult } from './stress.ts';

export type Results = {
  reads: ReadResult[];
  ceiling: Record<string, number> | undefined;
  cards: CardResult[];
  pages: PageResult[];
  overview: OverviewRate[];
  shapes: ShapeResult[];
  overload: OverloadResult;
  speeds: PageSpeed[];
  polygon: number[];
  soak: SoakResult;
  ledger: string;
  secondStart: number;
  memory: { target: string; startMs: number; startMib: number; endMib: number }[];
  machine: string;
  commit: string;
};

/** Next and Drizzle's popular starter, measured against the same control: what a dashboard is compared with. */
const OVERVIEW_LEAST = 0.02;

export function requirements(results: Results): string {
  const rows = [
    ...(['detail', 'payout'] as const).flatMap((what) => againstControls(results.reads, what)),
    overviewRate(results),
    row('overview complete, one client', '< 16 ms', overviewMs(results), overviewMs(results) < 16, 'ms'),
    ...stress(results),
    row('second start', '< 5 s', results.secondStart / 1000, results.secondStart < 5000, 's'),
    row('50,000 points drawn', '< 200 ms', median(results.polygon), median(results.polygon) < 200, 'ms'),
  ];
  return table(['', 'asked for', 'measured', 'holds'], rows);
}

function againstControls(reads: ReadResult[], what: ReadResult['what']): string[][] {
  const of = (target: string) =>
    reads.find((read) => read.what === what && read.connections === 32 && read.target === target);
  const rate = (target: string) => of(target)?.perSecond ?? Number.NaN;
  const p99 = (target: string) => of(target)?.p99Ms ?? Number.NaN;
  const most = p99('Fastify 5');
  const ratios = [
    ['Fastify 5', 1],
    ['node:http', 0.85],
    ['next start', 6],
  ] as const;
  return [
    ...ratios.map(([control, least]) => {
      const ratio = rate('service') / rate(control);
      return row(`${what}: service to ${control}`, `≥ ${least}`, ratio, ratio >= least, '×');
    }),
    row(`${what}: p99`, `≤ ${most} ms (Fastify 5)`, p99('service'), p99('service') <= most, 'ms'),
  ];
}

function overviewRate({ overview }: Results): string[] {
  const ratio = (overview[0]?.perSecond ?? Number.NaN) / (overview.at(-1)?.perSecond ?? Number.NaN);
  return row('overview to Fastify 5 (detail)', `≥ ${OVERVIEW_LEAST}`, ratio, ratio >= OVERVIEW_LEAST, '×', 4);
}

function overviewMs({ pages }: Results): number {
  return pages.find(({ page }) => page === '/')?.completeMs ?? Number.NaN;
}

function stress({ overload: { before, during, after }, soak }: Results): string[][] {
  const recovered = after.perSecond / before.perSecond;
  const [first, last] = [soak.minutes[0], soak.minutes.at(-1)];
  const aged = (last?.toControl ?? Number.NaN) / (first?.toControl ?? Number.NaN);
  const grown = (last?.memoryMib ?? Number.NaN) / soak.memoryAtStartMib;
  return [
    row('ten times the load: requests lost', '0', during.lost, during.lost === 0, ''),
    row('ten times the load: p99 of 200s', '< 1000 ms', during.p99Ms, during.p99Ms < 1000, 'ms'),
    row(
      'ten times the load: p99 of 503s',
      '< 1000 ms',
      during.refusedP99Ms,
      !(during.refusedP99Ms >= 1000),
      'ms',
    ),
    row('a second after, to before', '≥ 0.9', recovered, recovered >= 0.9, '×'),
    row('last minute of a day of requests, to the first (by a control)', '≥ 0.95', aged, aged >= 0.95, '×'),
    row('memory at its end, to after the warm-up', '≤ 1.1', grown, grown <= 1.1, '×'),
  ];
}

function row(
  what: string,
  asked: string,
  measured: number,
  isMet: boolean,
  unit: string,
  digits = 2,
): string[] {
  const text = Number.isInteger(measured) ? `${measured}` : measured.toFixed(digits);
  return [what, asked, `${text} ${unit}`.trim(), isMet ? 'yes' : '**no**'];
}
