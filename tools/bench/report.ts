import type { Times } from './ledger.ts';
import type { Rate } from './load.ts';
import { median, table } from './measure.ts';
import type { ReadResult, Sample } from './reads.ts';
import { type Results, requirements, requirementTable } from './requirements.ts';
import type { OverloadResult } from './stress.ts';

type Origin = { machine: string; commit: string };

/** @returns tools/bench/RESULTS.md */
export function summary(runs: Results[], { machine, commit }: Origin): string {
  const links = runs.map((_, index) => `[run ${index + 1}](${runFile(index + 1)})`);
  return `# Results

${machine}; commit ${commit}.
Written by \`npm run bench\`. Each run measures the targets in turns: compare its figures with each other, not with another machine's.
The service runs as in production, with its log written to a file; its limits are too high to be reached, except in the rows with default limits, whose details are
those of 300 customers. The controls read the same data in one statement for each caller, check the credentials, write the same line to a log, and return the same JSON, without limits,
ETags, or response validation. They use postgres.js's default of ten connections, or one that is pipelined, as the service's reads are. A pool of ten becomes slower
as requests wait in it, so each part starts with a new one. Reads and refusals are requested by wrk in at least seven rounds.

All measurements: ${links.join(', ')}. The charts are of the last one.

${readCharts(runs.at(-1)?.reads ?? [])}

## Requirements

Ratios and times are medians of a run. The worst round is that of all runs.

${requirementTable(runs.map(requirements))}
`;
}

export const runFile = (number: number) => `run-${number}.md`;

/** @returns the report of one run */
export function report(results: Results, { machine, commit }: Origin): string {
  const sections: [string, string][] = [
    ['Reads and refusals', reads(results)],
    ['Adding a card', cards(results)],
    ['Dashboard pages', pages(results)],
    ['Overload', overload(results)],
    ['Two million requests', soak(results)],
    ['Payload size', payloadSizes(results)],
    ['Length of history', ledger(results)],
    ['Start and memory', startAndMemory(results)],
  ];
  return `# A run of the benchmark

${machine}; commit ${commit}. What is measured and required: [results](RESULTS.md).

${sections.map(([title, text]) => `## ${title}\n\n${text.trim()}\n`).join('\n')}`;
}

const rateHead = ['requests/s', 'p50 ms', 'p99 ms'];
const rateCells = ({ perSecond, p50Ms, p99Ms }: Rate) => [perSecond, p50Ms, p99Ms];

function reads({ reads: results }: Results): string {
  const rows = results.map(({ operation, connections, target, rounds }) => {
    const medianOf = (name: keyof Sample) => median(rounds.map((sample) => sample[name]));
    const rates = rounds.map(({ perSecond }) => perSecond);
    const processor = [medianOf('userUs'), medianOf('kernelUs'), medianOf('postgresUs')];
    return [
      ...[
        `${operation}, ${connections}`,
        target,
        medianOf('perSecond'),
        Math.min(...rates),
        Math.max(...rates),
      ],
      ...[medianOf('p50Ms'), medianOf('p99Ms'), ...processor, medianOf('othersShare') * 100],
    ];
  });
  const head = [
    ...['operation, connections', 'target', 'requests/s', 'worst round', 'best round', 'p50 ms', 'p99 ms'],
    ...['program µs', 'kernel µs', 'PostgreSQL µs', 'others %'],
  ];
  return `${table(head, rows)}

The CPU times are for each request: of the target in its own code and in the kernel, and of PostgreSQL. Others are the share of the processors that other programs used meanwhile.

The service counts the 403s of a turn of its event loop in one statement, on rows that all clients share here; the controls don't count. A 429 is that of a customer who has used up the quota.`;
}

function cards({ cards: results }: Results): string {
  const rows = results.map((card) => [card.connections, card.target, ...rateCells(card)]);
  return `Both targets use one sandbox, in a process of its own. Each card is removed again.

${table(['callers', 'target', 'added/s', 'p50 ms', 'p99 ms'], rows)}`;
}

function pages({ pages: results, overview, pageSpeeds, outlineDrawMs }: Results): string {
  const times = results.map(({ page, firstByteMs, completeMs, processorMs, htmlBytes }) => [
    ...[page, firstByteMs, completeMs, processorMs, htmlBytes],
  ]);
  const rates = overview.map(({ target, ...rate }) => [target, ...rateCells(rate)]);
  const speeds = pageSpeeds.map((speed) => [
    speed.page,
    speed.performance,
    speed.lcpMs,
    speed.tbtMs,
    speed.mainThreadMs,
    speed.cls,
    speed.bytes,
    speed.scriptBytes,
  ]);
  return `One client, one page after another, medians:

${table(['page', 'first byte ms', 'complete ms', 'CPU ms', 'HTML bytes'], times)}

The overview with 16 clients, as many as one address may have rendered at a time, and a control with as many in the same rounds. Here, \`next start\` sends pages uncompressed:

${table(['target', ...rateHead], rates)}

Lighthouse's mobile preset, which simulates a slow network and processor. Bytes are compressed and include what loads after the first paint, such as the map:

${table(['page', 'performance', 'LCP ms', 'TBT ms', 'main thread ms', 'CLS', 'bytes', 'script bytes'], speeds)}

From the load event until an outline of 50,000 points is drawn, in ten loads: ${outlineDrawMs.toSorted((a, b) => a - b).join(', ')} ms.`;
}

function overload({ overload: { before, during, firstSecond, after } }: Results): string {
  const row = (phase: string, load: OverloadResult['before']) => [
    phase,
    ...rateCells(load),
    load.overloadP99Ms,
    Object.entries(load.statuses)
      .map(([status, count]) => `${status}: ${count.toLocaleString('en-US')}`)
      .join(', '),
    load.lost,
  ];
  return `256 clients in a closed loop, then ten times as many, then 256 that reconnect. Rates and latencies are of 200s. A client that gets a 503 retries immediately, without waiting for \`Retry-After\`, and each 503 takes time from a 200. The requirement compares the seconds after the first, in which clients reconnect.

${table(['', ...rateHead, 'p99 of 503s, ms', 'responses', 'lost'], [row('before', before), row('10× overload', during), row('first second after', firstSecond), row('seconds that follow', after)])}`;
}

function soak({ soak: { requests, memoryAtStartMib, minutes } }: Results): string {
  const rows = minutes.map((minute, index) => [
    `${index + 1}`,
    minute.perSecond,
    minute.controlRatio,
    minute.memoryMib,
  ]);
  return `${requests.toLocaleString('en-US')} requests as fast as possible. A fifth each are details, conditional details (304), payouts with keys, payouts with a session, and payouts without credentials (401). In addition, five pages per second (overview and payout) read the ledger over the service's other connections. Each minute is divided by the rate of node:http with one connection, measured for ten seconds before and after it, so that other work on the machine cancels out. After the warm-up, the process used ${memoryAtStartMib.toFixed(0)} MiB.

${table(['minute', 'requests/s', 'vs. control', 'memory MiB'], rows)}`;
}

function payloadSizes({ payloadSizes: results }: Results): string {
  const rows = results.map(({ points, cards, isCompressed, rounds }) => {
    const medianOf = (name: keyof Sample) => median(rounds.map((sample) => sample[name]));
    const customer = `${cards} cards, ${points.toLocaleString('en-US')} points${isCompressed ? ', gzip' : ''}`;
    return [
      ...[customer, medianOf('perSecond'), medianOf('p50Ms'), medianOf('p99Ms')],
      (medianOf('userUs') + medianOf('kernelUs')) / 1000,
    ];
  });
  return table(['customer', ...rateHead, 'CPU ms'], rows);
}

function ledger({ ledger: { payout, transactions }, importedPerSecond }: Results): string {
  const power = (count: number) => `10^${Math.round(Math.log10(count))}`;
  const cells = ({ entries, medianMs, p95Ms, p99Ms }: Times) => [
    power(entries),
    ...[medianMs, p95Ms, p99Ms].map((ms) => ms.toFixed(3)),
  ];
  const payoutRows = payout.map((times) => [...cells(times), times.rowsRead]);
  const pageRows = Object.entries(transactions).flatMap(([filter, all]) =>
    all.map((times) => [filter, ...cells(times)]),
  );
  const head = ['entries', 'median ms', 'p95 ms', 'p99 ms'];
  return `The payout's statement, including authentication, for three customers in turns, among 10^6 customers. Their entries span ten years, so each has about 120 monthly sums.

${table([...head, 'rows read'], payoutRows)}

The statement of a page of 25 transactions. A search reads at most 2,000 entries for a page.

${table(['transactions', ...head], pageRows)}

An import of a CSV file adds ${Math.round(importedPerSecond).toLocaleString('en-US')} charges per second.`;
}

function startAndMemory({ secondStartMs, memory }: Results): string {
  const rows = memory.map(({ target, startMs, startMib, endMib }) => [
    target,
    startMs / 1000,
    startMib,
    endMib,
  ]);
  return `A second \`npm start\`, which also starts the database, takes ${(secondStartMs / 1000).toFixed(2)} s from the command to the first response (median).

${table(['target', 'first response, s', 'memory after start, MiB', 'at the end, MiB'], rows)}

Here the database is already running. With several processes, the memory is that of the first, which starts the others and the sandbox.`;
}

/** @returns charts of the reads with 32 connections */
function readCharts(results: ReadResult[]): string {
  const charts = (['detail', 'payout'] as const).map((operation) => {
    const bars = results.filter((read) => read.operation === operation && read.connections === 32);
    const rates = bars.map(({ rounds }) => Math.round(median(rounds.map(({ perSecond }) => perSecond))));
    return `\`\`\`mermaid
xychart-beta horizontal
  title "${operation}, 32 connections: requests/s"
  x-axis [${bars.map(({ target }) => `"${target}"`).join(', ')}]
  bar [${rates.join(', ')}]
\`\`\``;
  });
  return charts.join('\n\n');
}
