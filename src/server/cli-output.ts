/** What a person at the terminal sees: one line a step. Colour is for terminals only. */

const isTerminal = process.stdout.isTTY === true && !process.env.NO_COLOR;
const colour = (code: number, text: string) => (isTerminal ? `\u001b[${code}m${text}\u001b[39m` : text);

/** What went wrong in words that need no stack: the reader can mend it. */
export class StartError extends Error {
  override name = 'StartError';
}

export function say(line = ''): void {
  process.stdout.write(`${line}\n`);
}

/**
 * Runs a step and writes its line when it is done, with the time where it took over a second.
 */
export async function step<Result>(title: string, run: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now();
  try {
    const result = await run();
    done(title, startedAt);
    return result;
  } catch (error) {
    say(`${colour(31, '✗')} ${title}${elapsed(performance.now() - startedAt)}`);
    throw error;
  }
}

/** @param startedAt of `performance.now()` */
export function done(title: string, startedAt: number): void {
  say(`${colour(32, '✓')} ${title}${elapsed(performance.now() - startedAt)}`);
}

export function elapsed(elapsedMs: number): string {
  return elapsedMs < 1000 ? '' : ` (${(elapsedMs / 1000).toFixed(1)} s)`;
}
