/** Many connections that guess keys and sign-ins from one address, and how honest callers and pages fare meanwhile. */
import { say } from '#src/server/cli-output.ts';
import { type Credentials, unknownCredentials } from '#tools/testing/factories.ts';
import { startProgram, untilReady } from '#tools/testing/processes.ts';
import { type Attack, detail, send, signIn, type Target, unless } from './target.ts';

const connections = 700;
const floodSeconds = 60;
const honestCustomers = 8;
/** Of each customer, within the quota. */
const honestRequests = 250;
const ratioMax = 2;
/** Fewer than the share of a network. */
const guessedSignIns = 8;
const pageViews = 50;

const attacker = '198.51.100.3';
const honest = '198.51.100.4';

type Traffic = { p99Ms: number; refused: number };

/** @returns the 99th percentile in milliseconds, and how many requests were not served */
async function honestTraffic(target: Target, customers: Credentials[], address = honest): Promise<Traffic> {
  const times: number[] = [];
  let refused = 0;
  for (let n = 0; n < honestRequests; n += 1)
    for (const as of customers) {
      const startedAt = performance.now();
      const { status } = await send(target, detail, { as, headers: { 'X-Forwarded-For': address } });
      times.push(performance.now() - startedAt);
      if (status !== 200) refused += 1;
    }
  return { p99Ms: times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0, refused };
}

/** A process of its own, so that it does not slow down the honest callers here. */
async function startFlood({ url }: Target): Promise<() => Promise<unknown>> {
  const { apiKey, apiSecret } = unknownCredentials();
  const as = [`X-AUTH-APIKEY=${apiKey}`, `X-AUTH-APISECRET=${apiSecret}`];
  const headers = [...as, `X-Forwarded-For=${attacker}`].flatMap((header) => ['-H', header]);
  const options = ['-c', String(connections), '-d', String(floodSeconds), ...headers, url + detail];
  const flood = startProgram(['node_modules/autocannon/autocannon.js', ...options]);
  await untilReady(flood, () => flood.output().includes('connections'));
  return flood.stop;
}

/** Guesses on the sign-in page until stopped. */
function startSignInFlood(target: Target): () => Promise<unknown> {
  let isOver = false;
  const work = async () => {
    while (!isOver) await signIn(target, unknownCredentials(), { 'X-Forwarded-For': attacker });
  };
  const guesses = Promise.all(Array.from({ length: guessedSignIns }, work));
  return () => {
    isOver = true;
    return guesses;
  };
}

/** @returns how many page views were not served */
async function refusedPages(target: Target): Promise<number> {
  let refused = 0;
  for (let n = 0; n < pageViews; n += 1) {
    const { status } = await send(target, '/sign-in', { headers: { 'X-Forwarded-For': honest } });
    if (status !== 200) refused += 1;
  }
  return refused;
}

export const guessingFlood: Attack = {
  title: `${connections} connections that guess keys from one address do not slow down others, and valid credentials there are not refused`,
  isOwnOnly: true,
  run: async (target) => {
    const newCustomers = () => Promise.all(Array.from({ length: honestCustomers }, () => target.customer()));
    const [customers, others, neighbors] = [await newCustomers(), await newCustomers(), await newCustomers()];
    await honestTraffic(target, customers);
    const before = await honestTraffic(target, customers);
    const stop = await startFlood(target);
    const during = await honestTraffic(target, others);
    const sameAddress = await honestTraffic(target, neighbors, attacker);
    const stopSignIns = startSignInFlood(target);
    const pagesRefused = await refusedPages(target);
    await stopSignIns();
    await stop();
    const ratio = during.p99Ms / before.p99Ms;
    say(
      `      p99 ${before.p99Ms.toFixed(1)} ms before, ${during.p99Ms.toFixed(1)} ms during: ${ratio.toFixed(2)}`,
    );
    say(`      p99 ${sameAddress.p99Ms.toFixed(1)} ms from the address itself`);
    const refused = during.refused + sameAddress.refused + pagesRefused;
    const found = { before, during, sameAddress, pagesRefused, ratio };
    return unless(refused === 0 && ratio <= ratioMax, found);
  },
};
