/** Many connections that guess keys from one address, and how honest callers fare meanwhile. */
import { say } from '#src/server/cli-output.ts';
import { newToken } from '#src/tokens.ts';
import { startProgram, untilReady } from '#tools/testing/processes.ts';
import { type Attack, type Credentials, detail, send, type Target, unless } from './target.ts';

const connections = 700;
const floodSeconds = 60;
const honestCustomers = 8;
/** Of each customer, within the quota. */
const honestRequests = 250;
const ratioMax = 2;

/** @returns the 99th percentile in milliseconds, and how many requests were not served */
async function honestTraffic(
  target: Target,
  customers: Credentials[],
): Promise<{ p99Ms: number; refused: number }> {
  const times: number[] = [];
  let refused = 0;
  for (let n = 0; n < honestRequests; n += 1)
    for (const as of customers) {
      const startedAt = performance.now();
      const { status } = await send(target, detail, { as, headers: { 'X-Forwarded-For': '198.51.100.4' } });
      times.push(performance.now() - startedAt);
      if (status !== 200) refused += 1;
    }
  return { p99Ms: times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0, refused };
}

/** A process of its own, so that it does not slow down the honest callers here. */
async function startFlood({ url }: Target): Promise<() => Promise<unknown>> {
  const as = [`X-AUTH-APIKEY=${newToken('key', 'test')}`, `X-AUTH-APISECRET=${newToken('secret', 'test')}`];
  const headers = [...as, 'X-Forwarded-For=198.51.100.3'].flatMap((header) => ['-H', header]);
  const options = ['-c', String(connections), '-d', String(floodSeconds), ...headers, url + detail];
  const flood = startProgram(['node_modules/autocannon/autocannon.js', ...options]);
  await untilReady(flood, () => flood.output().includes('connections'));
  return flood.stop;
}

export const guessingFlood: Attack = {
  title: `${connections} connections that guess keys from one address do not slow down others`,
  isOwnOnly: true,
  run: async (target) => {
    const newCustomers = () => Promise.all(Array.from({ length: honestCustomers }, () => target.customer()));
    const [customers, others] = [await newCustomers(), await newCustomers()];
    await honestTraffic(target, customers);
    const before = await honestTraffic(target, customers);
    const stop = await startFlood(target);
    const during = await honestTraffic(target, others);
    await stop();
    const ratio = during.p99Ms / before.p99Ms;
    say(
      `      p99 ${before.p99Ms.toFixed(1)} ms before, ${during.p99Ms.toFixed(1)} ms during: ${ratio.toFixed(2)}`,
    );
    return unless(during.refused === 0 && ratio <= ratioMax, { before, during, ratio });
  },
};
