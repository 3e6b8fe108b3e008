/**
 * Terminal output of `npm start`: one line per step, on standard error, because standard output has only the log's JSON.
 */
import { Console } from 'node:console';
import { styleText } from 'node:util';
import { SettingsError } from '#src/settings.ts';

const color = (name: 'green' | 'red', text: string) => styleText(name, text, { stream: process.stderr });

/** An error that the operator can fix, printed without a stack trace. */
export class StartError extends Error {
  override name = 'StartError';
}

const WRONG_SETTINGS = 2;

/** Prints why the start failed, with a stack trace if the operator cannot fix it. @returns the exit code */
export function printFailure(error: unknown): number {
  const isExpected = error instanceof SettingsError || error instanceof StartError;
  say(String(isExpected ? error.message : error instanceof Error ? error.stack : error));
  return error instanceof SettingsError ? WRONG_SETTINGS : 1;
}

export function say(line = ''): void {
  process.stderr.write(`${line}\n`);
}

/**
 * Next.js prints to the console. In production, its steps would appear among ours. Delete when `quiet` turns them off, or
 * Next.js takes a logger.
 */
export function keepConsoleOffStdout({ isDevelopment }: { isDevelopment: boolean }): void {
  globalThis.console = new Console(process.stderr);
  if (!isDevelopment) globalThis.console.log = () => {};
}

/** Runs a step, then prints its line, with the elapsed time if it took over a second. */
export async function step<Result>(title: string, run: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now();
  try {
    const result = await run();
    done(title, startedAt);
    return result;
  } catch (error) {
    say(`${color('red', '✗')} ${title}${elapsed(performance.now() - startedAt)}`);
    throw error;
  }
}

/** @param startedAt from `performance.now()` */
export function done(title: string, startedAt: number): void {
  say(`${color('green', '✓')} ${title}${elapsed(performance.now() - startedAt)}`);
}

export function elapsed(elapsedMs: number): string {
  return elapsedMs < 1000 ? '' : ` (${(elapsedMs / 1000).toFixed(1)} s)`;
}
