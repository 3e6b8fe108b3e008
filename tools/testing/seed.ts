/** Prints and returns the seed of random tests. To repeat a failed run, set `SEED` to it. */
export function printedSeed(name: string): number {
  const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
  process.stdout.write(`${name}: seed ${seed}\n`);
  return seed;
}
