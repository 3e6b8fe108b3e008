/** Adding a card through the sandbox; each card is removed again, because a customer has at most 20. */
import path from 'node:path';
import { startProgram, untilReady } from '#tools/testing/processes.ts';
import { type Caller, createCallers, openEnvironment } from './environment.ts';
import { apiRequest, type Rate } from './load.ts';
import { inTurns, median, print, quantile } from './measure.ts';
import { responds, startTarget, type Target, targetEnv } from './targets.ts';

type Additions = { timesMs: number[]; elapsedMs: number };
export type CardResult = Rate & { connections: number; target: string };

/**
 * Starts the targets on a database of their own, because one belongs to the sandbox of a service's process, or to one that
 * runs apart, as here.
 * @param ports of the targets and, last, of the sandbox
 */
export async function measureCards(ports: [number, number, number]): Promise<CardResult[]> {
  const environment = await openEnvironment();
  const callers = await createCallers(environment);
  const [servicePort, nextPort, sandboxPort] = ports;
  const env: NodeJS.ProcessEnv = { ...(await targetEnv(environment, sandboxPort)), PAYMENTS: '' };
  const { STRIPE_SECRET_KEY = '', STRIPE_API_BASE } = env;
  const data = path.join(environment.folder, 'sandbox.sqlite');
  const options = ['--port', `${sandboxPort}`, '--data', data, '--secret-key', STRIPE_SECRET_KEY];
  const sandbox = await untilReady(
    startProgram(['packages/stripe-sandbox/main.ts', ...options], process.env),
    () => responds(`${STRIPE_API_BASE}/_sandbox/health`),
  );
  const targets: Target[] = [];
  try {
    targets.push(await startTarget('service', servicePort, env));
    targets.push(await startTarget('next start', nextPort, env));
    return await measureAdditions(targets, callers);
  } finally {
    for (const target of targets) await target.close();
    await sandbox.stop();
    await environment.close();
  }
}

async function measureAdditions(targets: Target[], callers: Caller[]): Promise<CardResult[]> {
  const results: CardResult[] = [];
  for (const connections of [1, 32, 256]) {
    const samples = await inTurns(targets, 3, (target) => addCards(target, callers.slice(0, connections), 3));
    for (const [index, target] of targets.entries()) {
      const additions = samples[index] ?? [];
      results.push({
        connections,
        target: target.name,
        perSecond: median(additions.map(({ timesMs, elapsedMs }) => (timesMs.length / elapsedMs) * 1000)),
        p50Ms: median(additions.map(({ timesMs }) => median(timesMs))),
        p99Ms: median(additions.map(({ timesMs }) => quantile(timesMs, 0.99))),
      });
    }
    print(`cards, ${connections} callers`);
  }
  return results;
}

/** Each caller finishes what it began, so this takes longer than asked for. @returns how long each addition took, and all of them together */
async function addCards(target: Target, callers: Caller[], durationSeconds: number): Promise<Additions> {
  const startedAt = performance.now();
  const endsAt = startedAt + durationSeconds * 1000;
  const timesMs: number[] = [];
  const url = `${target.baseUrl}/api/schedule/v1/payment/cards`;
  const body = JSON.stringify({ token: 'tok_visa', card: { addressCountry: 'US', addressZip: '94103' } });
  await Promise.all(
    callers.map(async (caller) => {
      const headers = { ...apiRequest(caller).headers, 'Content-Type': 'application/json' };
      while (performance.now() < endsAt) {
        const sentAt = performance.now();
        const response = await fetch(url, { method: 'POST', headers, body });
        const { card } = (await response.json()) as { card?: { uuid: string } };
        if (!card) throw new Error(`${target.name} returned ${response.status} without a card.`);
        timesMs.push(performance.now() - sentAt);
        const removal = await fetch(`${url}/${card.uuid}`, { method: 'DELETE', headers });
        await removal.arrayBuffer();
      }
    }),
  );
  return { timesMs, elapsedMs: performance.now() - startedAt };
}
