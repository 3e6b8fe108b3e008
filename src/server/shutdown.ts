import { say } from './cli-output.ts';

type Closer = { title: string; close: () => Promise<void> };

/** On Ctrl-C the terminal and npm each send a signal; two within this time count as one. */
const duplicateSignalMs = 1_000;
export const shutdownSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** A closed terminal stops the service. Without one, SIGHUP asks to reopen the log, which happens within a second anyway. */
const isIgnored = (signal: string) => signal === 'SIGHUP' && !process.stdin.isTTY;

/** Stops started parts in reverse order. */
export class Shutdown {
  readonly #closers: Closer[] = [];
  readonly #abort = new AbortController();
  #stopRequestedAtMs = 0;
  #starting: Promise<unknown> = Promise.resolve();

  /** Aborted when shutdown begins. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** The first signal shuts down gracefully; a second one exits immediately. */
  listen(): void {
    for (const signal of shutdownSignals) process.on(signal, () => void (isIgnored(signal) || this.#stop()));
    // The terminal may be closed.
    process.stdout.on('error', () => {});
    process.stderr.on('error', () => {});
  }

  /** @param starting settles before anything is stopped, because it may still add parts */
  await(starting: Promise<unknown>): void {
    this.#starting = starting.catch(() => {});
  }

  add(title: string, close: () => Promise<void>): void {
    this.#closers.push({ title, close });
  }

  /** @returns whether everything stopped without an error */
  async closeAll(): Promise<boolean> {
    let isClean = true;
    for (const { title, close } of this.#closers.splice(0).reverse()) {
      await close().catch((error: unknown) => {
        isClean = false;
        say(`✗ ${title} did not stop: ${error instanceof Error ? error.message : error}`);
      });
    }
    return isClean;
  }

  async #stop(): Promise<void> {
    if (this.#stopRequestedAtMs > 0) {
      if (performance.now() - this.#stopRequestedAtMs > duplicateSignalMs) process.exit(130);
      return;
    }
    this.#stopRequestedAtMs = performance.now();
    say('\nStopping…');
    this.#abort.abort();
    await this.#starting;
    const isClean = await this.closeAll();
    if (isClean) say('✓ Stopped');
    process.exit(isClean ? 0 : 1);
  }
}
