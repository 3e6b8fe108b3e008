/** Reads and refusals, by the service and its controls. */
import { cpus } from 'node:os';
import { paths } from './control.ts';
import type { Caller, Environment } from './environment.ts';
import { apiRequest, type Rate, type WrkLoad, wrk } from './load.ts';
import { inTurns, isQuick, machineTimeUs, ownTimeUs, print, timeOf } from './measure.ts';
import type { programs, Target } from './targets.ts';

export type Operation = 'detail' | 'payout' | '401' | '403' | '429';
export type TargetName = keyof typeof programs;

/** The rounds are those of all targets, so the same number stands for the same time. */
export type ReadResult = {
  operation: Operation;
  connections: number;
  target: TargetName;
  rounds: Sample[];
};

/** CPU times are microseconds for each request. */
export type Sample = Rate & {
  userUs: number;
  kernelUs: number;
  postgresUs: number;
  /** The share of the machine's processors that neither the target, PostgreSQL, nor the load used. */
  othersShare: number;
};

const services: TargetName[] = ['service', 'service, 2 processes', 'service, default limits'];
const controls: TargetName[] = [
  'Fastify 5',
  'Fastify 5, 1 connection',
  'node:http',
  'node:http, 1 connection',
];

type Part = { operation: Operation; connections: number; targets: TargetName[]; rounds: number };

/** Next.js is so slow that one row is enough. */
const parts: Part[] = [
  // The difference is small, so the two take turns without the others, in more rounds.
  {
    operation: 'detail',
    connections: 64,
    targets: ['service', 'service, metrics and traces'],
    rounds: 15,
  },
  ...(['detail', 'payout'] as const).flatMap((operation) => [
    { operation, connections: 1, targets: ['service' as const, ...controls], rounds: 7 },
    { operation, connections: 32, targets: [...services, ...controls, 'next start' as const], rounds: 7 },
    { operation, connections: 256, targets: [...services, ...controls], rounds: 7 },
  ]),
  ...(['401', '403'] as const).flatMap((operation) =>
    [1, 32, 256].map((connections) => ({
      ...{ operation, connections, rounds: 7 },
      targets: ['service' as const, ...controls],
    })),
  ),
  // The controls have no limits.
  ...[1, 32, 256].map((connections) => ({
    ...{ operation: '429' as const, connections, rounds: 7 },
    targets: ['service, default limits' as const],
  })),
];

/** @param callers as many that none uses up its quota, and the first of them the one that all other requests are of */
export async function measureReads(
  targets: Target[],
  callers: Caller[],
  environment: Environment,
): Promise<ReadResult[]> {
  const results: ReadResult[] = [];
  for (const { operation, connections, targets: names, rounds: usual } of parts) {
    if (isQuick && connections !== 32 && connections !== 64) continue;
    const measured = names.flatMap((name) => targets.find((target) => target.name === name) ?? []);
    // A pool of postgres.js becomes slower for good once requests have waited in it, so each part starts with a new one.
    for (const target of measured) await target.restart?.();
    const samples = await inTurns(measured, isQuick ? Math.ceil(usual / 3) : usual, (target) =>
      sampleOf(target, environment, {
        url: target.baseUrl + (operation === 'detail' ? paths.detail : paths.payout),
        connections,
        seconds: 1,
        ...requestsOf(operation, callers, target),
      }),
    );
    for (const [index, { name }] of measured.entries())
      results.push({ operation, connections, target: name as TargetName, rounds: samples[index] ?? [] });
    print(`${operation}, ${connections} connections`);
  }
  return results;
}

function requestsOf(
  operation: Operation,
  [caller, ...others]: Caller[],
  { name }: Target,
): Pick<WrkLoad, 'requests' | 'refusal'> {
  if (!caller) throw new Error('There are no callers.');
  const request = apiRequest(caller);
  if (operation === '401') return { requests: [{ headers: {} }], refusal: 401 };
  if (operation === '403')
    return { requests: [apiRequest({ ...caller, apiSecret: 'secret_test_wrong' })], refusal: 403 };
  if (operation === '429') return { requests: [request], refusal: 429 };
  return { requests: name === 'service, default limits' ? others.map(apiRequest) : [request] };
}

async function sampleOf(target: Target, { folder, processId }: Environment, load: WrkLoad): Promise<Sample> {
  const before = await times();
  const startedAt = performance.now();
  const { count, ...rate } = await wrk(folder, load);
  const elapsedUs = (performance.now() - startedAt) * 1000;
  const after = await times();
  const { userUs, kernelUs, postgresUs, loadUs, machineUs } = Object.fromEntries(
    Object.entries(after).map(([name, value]) => [name, value - before[name as keyof typeof before]]),
  ) as typeof after;
  return {
    ...rate,
    userUs: userUs / count,
    kernelUs: kernelUs / count,
    postgresUs: postgresUs / count,
    othersShare:
      Math.max(0, machineUs - userUs - kernelUs - postgresUs - loadUs) / (elapsedUs * cpus().length),
  };

  async function times() {
    const [service, postgres, loadUs] = await Promise.all([
      timeOf(target.processId),
      timeOf(processId),
      ownTimeUs(),
    ]);
    return {
      ...service,
      postgresUs: postgres.userUs + postgres.kernelUs,
      loadUs,
      machineUs: machineTimeUs(),
    };
  }
}

type Row = Pick<ReadResult, 'operation' | 'target'>;

/** @returns the rate of one row divided by that of another with as many connections, in each round */
export function ratios(
  reads: ReadResult[],
  { connections, ...row }: Row & { connections: number },
  control: Row,
): number[] {
  const ratesOf = ({ operation, target }: Row) =>
    reads
      .find(
        (read) => read.operation === operation && read.connections === connections && read.target === target,
      )
      ?.rounds.map(({ perSecond }) => perSecond) ?? [];
  const controls = ratesOf(control);
  return ratesOf(row)
    .slice(0, controls.length)
    .map((rate, round) => rate / (controls[round] ?? Number.NaN));
}

export type PayloadSizeResult = { points: number; cards: number; isCompressed: boolean; rounds: Sample[] };

const sizes = [
  { points: 40, cards: 0 },
  { points: 40, cards: 3 },
  { points: 40, cards: 20 },
  { points: 1_000, cards: 3 },
  { points: 10_000, cards: 3 },
  { points: 50_000, cards: 3 },
];

/** Details by the number of cards and the points of the city's outline, for clients with and without gzip. */
export async function measurePayloadSizes(
  target: Target,
  environment: Environment,
): Promise<PayloadSizeResult[]> {
  const subjects: { size: (typeof sizes)[number]; isCompressed: boolean; caller: Caller }[] = [];
  for (const size of sizes) {
    const caller = await environment.createCaller(size);
    for (const isCompressed of [false, true]) subjects.push({ size, isCompressed, caller });
  }
  const samples = await inTurns(subjects, 3, ({ isCompressed, caller }) => {
    const { headers } = apiRequest(caller);
    return sampleOf(target, environment, {
      url: target.baseUrl + paths.detail,
      connections: 1,
      seconds: 2,
      requests: [{ headers: isCompressed ? { ...headers, 'Accept-Encoding': 'gzip' } : headers }],
    });
  });
  print('payload sizes');
  return subjects.map(({ size, isCompressed }, index) => ({
    ...size,
    isCompressed,
    rounds: samples[index] ?? [],
  }));
}
