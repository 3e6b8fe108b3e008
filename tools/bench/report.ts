import { isQuick, table } from './measure.ts';
import { type Results, requirements } from './requirements.ts';
import type { OverloadResult } from './stress.ts';

export function report(results: Results): string {
  const sections: [string, string][] = [
    ['What is asked for', requirements(results)],
    ['Reads and refusals', reads(results)],
    ['Adding a card', cards(results)],
    ['Signed-in pages', pages(results)],
    ['Ten times the load', overload(results)],
    ['A day of requests', soak(results)],
    ['The size of the answer', shapes(results)],
    ['A payout against the length of the history', results.ledger],
    ['Start and memory', startAndMemory(results)],
  ];
  return `# Results

${results.machine}; commit ${results.commit}.
Written by \`npm run bench\`${isQuick ? ' with `QUICK=1`: everything was measured shortly' : ''}. All of it is from one run, in turns: compare figures with each other, not with another machine's.
The service is as its users run it, with its log written to a file; only its limits are too high to be reached. The controls run the
service's own statement with the same check of the caller and the same JSON, and nothing else: no limits, ids, log, ETag or check of
the answer. They have postgres.js's own ten connections, but for the one that has one, as the service's reads do. Such a pool of ten slows down as
callers wait in it: it is started anew for each part, and has some ten seconds of it. Times are in whole milliseconds where many callers are at once.

![Requests a second by target](reads.svg)

${sections.map(([title, text]) => `## ${title}\n\n${text.trim()}\n`).join('\n')}`;
}

const rateHead = ['requests/s', 'p50 ms', 'p99 ms'];
const rate = (one: { perSecond: number; p50Ms: number; p99Ms: number }) => [
  one.perSecond,
  one.p50Ms,
  one.p99Ms,
];

function reads({ reads: all, ceiling }: Results): string {
  const rows = all.map((read) => [`${read.what}, ${read.connections}`, read.target, ...rate(read)]);
  const rateOf = (what: string, target = 'service') =>
    all.find((read) => read.what === what && read.connections === 32 && read.target === target)?.perSecond ??
    Number.NaN;
  const share = (what: string) => (rateOf(what) / rateOf(what, 'node:http, 1 connection')).toFixed(2);
  const oneConnection = `\n\nOf node:http with one connection, as the service's reads have it, the service reaches ${share('detail')} (detail) and ${share('payout')} (payout) at 32 connections.`;
  const pgbench = ceiling
    ? `\n\npgbench with the same statements, prepared, 32 connections: ${Object.entries(ceiling)
        .map(
          ([what, perSecond]) =>
            `${what} ${Math.round(perSecond).toLocaleString('en-US')}/s, of which the service reaches ${(rateOf(what) / perSecond).toFixed(2)}`,
        )
        .join(', ')}.`
    : '\n\nThere is no pgbench on this machine.';
  const refusals =
    ' A refusal is counted in the database by the service, in two rows that all of these share, and not by the controls; what the service answers with 503 meanwhile is not counted here.';
  return table(['what, connections', 'target', ...rateHead], rows) + oneConnection + pgbench + refusals;
}

function cards({ cards: all }: Results): string {
  const rows = all.map((card) => [`${card.connections} at once`, card.target, ...rate(card)]);
  return `Through one sandbox for both, in the service's own process: what it takes to answer is taken from the service, and comes on top\nof what \`next start\` has. Each card is removed again.\n\n${table(['callers', 'target', 'added/s', 'p50 ms', 'p99 ms'], rows)}`;
}

function pages({ pages: all, overview, speeds, polygon }: Results): string {
  const times = all.map((page) => [page.page, page.firstByteMs, page.completeMs, page.htmlBytes]);
  const rates = overview.map((one) => [one.target, ...rate(one)]);
  const scores = speeds.map((one) => [
    one.page,
    one.performance,
    one.lcpMs,
    one.tbtMs,
    one.mainThreadMs,
    one.cls,
    one.bytes,
    one.scriptBytes,
  ]);
  return `One client, one page after the other, medians:

${table(['page', 'first byte ms', 'complete ms', 'HTML bytes'], times)}

The overview, 32 clients, and in the same rounds what it is compared with:

${table(['target', ...rateHead], rates)}

Lighthouse, mobile preset, simulated slow network and processor (bytes as sent, with the map or what else comes after the first load; the main thread's work, and how long it was blocked by it):

${table(['page', 'performance', 'largest paint ms', 'blocking ms', 'main thread ms', 'layout shift', 'bytes', 'script bytes'], scores)}

An outline of 50,000 points is drawn, after the page's load event, in ${polygon.toSorted((a, b) => a - b).join(', ')} ms (ten loads).`;
}

function overload({ overload: { before, during, firstSecond, after } }: Results): string {
  const row = (name: string, one: OverloadResult['before']) => [
    name,
    ...rate(one),
    one.refusedP99Ms,
    Object.entries(one.statuses)
      .map(([status, count]) => `${status}: ${count.toLocaleString('en-US')}`)
      .join(', '),
    one.lost,
  ];
  return `256 callers in a closed loop, then ten times as many, then 256 again, who connect anew: the second after that, and what follows. Rates and times are of 200s, but for the p99 of 503s. Who is refused asks again at once, without the second that the answer asks for, and each refusal takes time that a 200 would have had. The second after begins with the callers' connecting: what is judged is what follows.

${table(['', ...rateHead, 'p99 of 503s, ms', 'answers', 'lost'], [row('before', before), row('ten times', during), row('the second after', firstSecond), row('then', after)])}`;
}

function soak({ soak: { requests, memoryAtStartMib, minutes } }: Results): string {
  const rows = minutes.map((one, minute) => [
    `${minute + 1}`,
    ...[one.perSecond, one.toControl, one.memoryMib],
  ]);
  return `${requests.toLocaleString('en-US')} requests as fast as they go, with five pages a second beside them (overview and payout, which reads the ledger over the service's other connections); ten a second make 864,000 in a day. Of the others a fifth each: detail, detail asked for again (304), payout by keys, by a session, and without either (401). What each minute is compared with is ten seconds of details from node:http with one connection before and after it: that tells what ages in the process from what the machine does. After the warm-up the process had ${memoryAtStartMib.toFixed(0)} MiB.

${table(['minute', 'requests/s', 'to the control', 'memory MiB'], rows)}`;
}

function shapes({ shapes: all }: Results): string {
  return table(
    ['customer', ...rateHead],
    all.map((one) => [one.shape, ...rate(one)]),
  );
}

function startAndMemory({ secondStart, memory }: Results): string {
  const rows = memory.map((one) => [one.target, one.startMs / 1000, one.startMib, one.endMib]);
  return `A second \`npm start\`, from the command to the first answer: ${(secondStart / 1000).toFixed(2)} s (median; the database comes up with it).

${table(['target', 'first answer, s', 'memory after start, MiB', 'at the end'], rows)}

The database runs already for these. Of several processes, the memory of the first is counted: it starts the others and the sandbox.`;
}
