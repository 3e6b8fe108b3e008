/**
 * `node tools/bench/queueing.ts`: simulates how long reads wait, for the table in docs/scale.md. Requests arrive at random, a
 * balancer gives each to a random process, and a process serves one after the other, as fast as the benchmark measured.
 */

/** Of the detail operation, by one process on two shared cores: tools/bench/RESULTS.md. */
const readsPerSecondMax = 6_000;
const requests = 200_000;

/** A day has 20 reads per customer, and its busiest time ten times the mean. */
const readsPerCustomerAndDay = 20;
const busiest = 10;
const secondsPerDay = 86_400;

const peakOf = (customers: number) => (customers * readsPerCustomerAndDay * busiest) / secondsPerDay;

/** @returns numbers between 0 and 1, the same ones for a seed (mulberry32) */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** @returns milliseconds that 99 of 100 requests take at most, from arrival to response */
export function simulateP99(requestsPerSecond: number, processes: number): number {
  const random = randomNumbers(processes);
  const exponential = (perSecond: number) => -Math.log(1 - random()) / perSecond;
  const freeAt = new Float64Array(processes);
  const took = new Float64Array(requests);
  let now = 0;
  for (let request = 0; request < requests; request++) {
    now += exponential(requestsPerSecond);
    const process = Math.floor(random() * processes);
    const end = Math.max(now, freeAt[process] ?? 0) + exponential(readsPerSecondMax);
    freeAt[process] = end;
    took[request] = end - now;
  }
  return (took.toSorted()[Math.floor(requests * 0.99)] ?? 0) * 1_000;
}

/** @returns the fewest processes that are at most half busy, two at least so that one can fail */
const processesFor = (customers: number) =>
  Math.max(2, Math.ceil(peakOf(customers) / (readsPerSecondMax / 2)));

/** @returns the rows of the table for these numbers of customers */
export function queueingRows(): string[] {
  return [1e3, 1e6, 1e8].map((customers) => {
    const [peak, processes] = [peakOf(customers), processesFor(customers)];
    const left = processes - Math.ceil(processes / 4);
    const cells = [customers, peak, processes, simulateP99(peak, processes), simulateP99(peak, left)];
    return `| ${cells.map((cell) => Number(cell.toPrecision(3)).toLocaleString('en-US')).join(' | ')} |`;
  });
}

if (import.meta.main) process.stdout.write(`${queueingRows().join('\n')}\n`);
