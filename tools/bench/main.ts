/**
 * `npm run bench`: compares the service with controls on the same database, three times, and writes tools/bench/RESULTS.md and
 * a report of each run. Targets are measured in turns within one run, because absolute figures drift. With `QUICK=1`, only
 * reads are, once, and nothing is written.
 */
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { buildIfNeeded } from '#src/server/build.ts';
import { findOrInstallBrowsers } from '#tools/browser.ts';
import { checkout } from '#tools/checkout.ts';
import { toothedRing } from '#tools/testing/factories.ts';
import { measureCards } from './cards.ts';
import { createCallers, describeMachine, type Environment, openEnvironment } from './environment.ts';
import { measureImport } from './imports.ts';
import { measureLedger } from './ledger.ts';
import { requireWrk } from './load.ts';
import { isQuick, print } from './measure.ts';
import { auditPages, measureOverview, measurePages, outlineDrawMs, signedInCookie } from './pages.ts';
import { measurePayloadSizes, measureReads } from './reads.ts';
import { report, runFile, summary } from './report.ts';
import { type Results, readRequirements, requirementTable } from './requirements.ts';
import { measureOverload, measureSoak, memoryMib } from './stress.ts';
import { programs, secondStartMs, startTarget, type Target, targetEnv } from './targets.ts';

const firstPort = Number(process.env.BENCH_PORT ?? 4100);
const sandboxPort = firstPort + 50;

/** Targets without a requirement, which a quick run leaves out. */
const notJudged = ['service, 2 processes', 'Fastify 5, 1 connection', 'node:http'];

const runCount = 3;

type TargetResults = Omit<Results, 'secondStartMs' | 'cards' | 'ledger' | 'importedPerSecond'>;

await requireWrk();
await buildIfNeeded(checkout, new AbortController().signal);
if (isQuick) await withTargets(compareReads);
else await compareAll();

async function compareReads(targets: Target[], environment: Environment): Promise<void> {
  const reads = await measureReads(targets, await createCallers(environment), environment);
  print(requirementTable([readRequirements(reads)]));
}

async function compareAll(): Promise<void> {
  const commit = git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain') ? ' with changes' : '');
  const runs: Results[] = [];
  while (runs.length < runCount) {
    const { machine, ...results } = await run();
    runs.push(results);
    const origin = { machine, commit };
    await writeReport(runFile(runs.length), report(results, origin));
    await writeReport('RESULTS.md', summary(runs, origin));
    print(`Wrote run ${runs.length} of ${runCount} to tools/bench/RESULTS.md`);
  }
}

function writeReport(name: string, text: string): Promise<void> {
  return writeFile(path.join(import.meta.dirname, name), text);
}

async function run(): Promise<Results & { machine: string }> {
  const measured = await withTargets(async (targets, environment) => ({
    ...(await measureTargets(environment, targets)),
    machine: await describeMachine(environment),
  }));
  return {
    ...measured,
    secondStartMs: await secondStartMs(firstPort + 60),
    cards: await measureCards([firstPort, firstPort + 1, sandboxPort]),
    importedPerSecond: await measureImport(),
    ledger: await measureLedger(),
  };
}

/** Starts the targets on a new database. */
async function withTargets<Result>(
  use: (targets: Target[], environment: Environment) => Promise<Result>,
): Promise<Result> {
  const environment = await openEnvironment();
  const targets: Target[] = [];
  try {
    const env = await targetEnv(environment, sandboxPort);
    for (const [index, name] of Object.keys(programs).entries()) {
      if (isQuick && notJudged.includes(name)) continue;
      // Each service needs a sandbox port of its own.
      const ownEnv = name.startsWith('service,') ? { SANDBOX_PORT: `${sandboxPort + index}` } : {};
      targets.push(
        await startTarget(name as keyof typeof programs, firstPort + index, { ...env, ...ownEnv }),
      );
    }
    return await use(targets, environment);
  } finally {
    for (const target of targets) await target.close();
    await environment.close();
  }
}

async function measureTargets(environment: Environment, targets: Target[]): Promise<TargetResults> {
  const targetNamed = (name: keyof typeof programs) => {
    const target = targets.find((candidate) => candidate.name === name);
    if (!target) throw new Error(`${name} did not start.`);
    return target;
  };
  const service = targetNamed('service');
  const next = targetNamed('next start');
  const chromium = { baseUrl: service.baseUrl, executablePath: findOrInstallBrowsers().chromium };
  const memories = () => Promise.all(targets.map(({ processId }) => memoryMib(processId)));
  const startMib = await memories();
  const [caller, ...callers] = await createCallers(environment);
  const reads = await measureReads(targets, [caller, ...callers], environment);
  const cookie = await signedInCookie({ ...chromium, credentials: caller });
  // Before what no customer does, such as an overload, so that its memory is that of usual requests.
  const soak = await measureSoak(service, callers, cookie, targetNamed('node:http, 1 connection'));
  const overview = await measureOverview([service, next], cookie, targetNamed('Fastify 5'), caller);
  const pages = await measurePages(service, cookie);
  const payloadSizes = await measurePayloadSizes(service, environment);
  const overload = await measureOverload(service, caller);
  const pageSpeeds = await auditPages({ ...chromium, credentials: caller });
  const detailedCaller = await environment.createCaller({ points: 50_000, ring: toothedRing(), cards: 0 });
  const drawMs = await outlineDrawMs({ ...chromium, credentials: detailedCaller });
  const endMib = await memories();
  const memory = targets.map(({ name, startMs }, index) => ({
    target: name,
    startMs,
    startMib: startMib[index] ?? Number.NaN,
    endMib: endMib[index] ?? Number.NaN,
  }));
  return {
    ...{ reads, pages, overview, payloadSizes, overload, pageSpeeds, soak, memory },
    outlineDrawMs: drawMs,
  };
}

function git(...parameters: string[]): string {
  return execFileSync('git', parameters, { cwd: checkout, encoding: 'utf8' }).trim();
}
