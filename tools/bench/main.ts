/**
 * `npm run bench`: the service against controls on the same database, in turns within one run, so that ratios hold where
 * absolute figures drift. Writes tools/bench/RESULTS.md and its plots. `QUICK=1` shortens everything.
 */
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { buildIfNeeded } from '#src/server/build.ts';
import { findOrInstallBrowser } from '#tools/browser.ts';
import { checkout } from '#tools/checkout.ts';
import { toothedRing } from '#tools/testing/factories.ts';
import { measureCards } from './cards.ts';
import { measureCeiling } from './ceiling.ts';
import { openPlace } from './environment.ts';
import { measureLedger } from './ledger.ts';
import { lighthouseOfPages, signedInCookie } from './lighthouse.ts';
import { machine } from './machine.ts';
import { say } from './measure.ts';
import { measureOverview, measurePages } from './pages.ts';
import { measureShapes } from './payload-size.ts';
import { barPlot } from './plot.ts';
import { polygonDrawnMs } from './polygon.ts';
import { measureReads } from './reads.ts';
import { report } from './report.ts';
import { secondStartMs } from './startup.ts';
import { measureOverload, measureSoak, memoryMib } from './stress.ts';
import { programs, startTarget, type Target, targetEnvironment } from './targets.ts';

const firstPort = Number(process.env.BENCH_PORT ?? 4100);
const sandboxPort = firstPort + 50;

await buildIfNeeded(checkout, new AbortController().signal);
const browser = findOrInstallBrowser();
const place = await openPlace();
const targets: Target[] = [];
try {
  const caller = await place.newCaller({ points: 40, cards: 3 });
  const secondStart = await secondStartMs(place.folder, firstPort + 60);
  const environment = await targetEnvironment(place, sandboxPort);
  for (const [index, name] of Object.keys(programs).entries()) {
    // The sandbox is the first one's; the second gets one of its own, as a port can only be taken once.
    const own = index === 1 ? { SANDBOX_PORT: `${sandboxPort + 1}` } : {};
    targets.push(
      await startTarget(name as keyof typeof programs, firstPort + index, { ...environment, ...own }),
    );
  }
  const [service] = targets;
  const next = targets.at(-1);
  const fastify = targets.find(({ name }) => name === 'Fastify 5');
  const bare = targets.find(({ name }) => name === 'node:http, 1 connection');
  if (!service || !next || !fastify || !bare) throw new Error('Not everything was started.');
  const startMs = targets.map((target) => target.startMs);
  const memoryAtStart = await Promise.all(targets.map(({ processId }) => memoryMib(processId)));
  const reads = await measureReads(targets, caller);
  const ceiling = await measureCeiling(place, caller);
  const cookie = await signedInCookie(service.baseUrl, caller, browser);
  const pages = await measurePages(service, cookie);
  const overview = await measureOverview([service, next], cookie, fastify, caller);
  const shapes = await measureShapes(service, place);
  const overload = await measureOverload(service, caller);
  const speeds = await lighthouseOfPages(service.baseUrl, caller, browser);
  const toothed = await place.newCaller({ points: 50_000, ring: toothedRing(), cards: 0 });
  const polygon = await polygonDrawnMs(service.baseUrl, toothed, browser);
  const callers = [];
  while (callers.length < 256) callers.push(await place.newCaller({ points: 40, cards: 0, days: 0 }));
  const soak = await measureSoak(service, callers, cookie, bare);
  const memoryAtEnd = await Promise.all(targets.map(({ processId }) => memoryMib(processId)));
  // Last: the sandbox, in the same process, is busy with the removed cards for a while.
  const cards = await measureCards([service, next], callers);
  for (const target of targets.splice(0)) await target.close();
  const ledger = await measureLedger();

  const git = (...words: string[]) => execFileSync('git', words, { cwd: checkout, encoding: 'utf8' }).trim();
  const results = {
    ...{
      reads,
      ceiling,
      cards,
      pages,
      overview,
      shapes,
      overload,
      speeds,
      polygon,
      soak,
      ledger,
      secondStart,
    },
    memory: Object.keys(programs).map((target, index) => ({
      target,
      startMs: startMs[index] ?? Number.NaN,
      startMib: memoryAtStart[index] ?? Number.NaN,
      endMib: memoryAtEnd[index] ?? Number.NaN,
    })),
    machine: await machine(place),
    commit: git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain') ? ' with changes' : ''),
  };
  await writeFile(path.join(import.meta.dirname, 'RESULTS.md'), report(results));
  await writeFile(path.join(import.meta.dirname, 'reads.svg'), barPlot(reads));
  say('Written: tools/bench/RESULTS.md, tools/bench/reads.svg');
} finally {
  for (const target of targets) await target.close();
  await place.close();
}
