import { say } from './cli-output.ts';

type Closer = { title: string; close: () => Promise<void> };

/** npm hands its Ctrl-C on to us, and the terminal sends us the same: two signals at once are one wish. */
const ONE_WISH_MS = 1_000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** What has been started, so that it can be stopped, the last first. */
export class Shutdown {
  readonly #closers: Closer[] = [];
  readonly #abort = new AbortController();
  #askedAtMs = 0;
  #starting: Promise<unknown> = Promise.resolve();

  /** Aborted when the stop is asked for. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** From here on signals stop the service in good order; a second one stops it at once. */
  listen(): void {
    for (const signal of SIGNALS) process.on(signal, () => void this.#stop());
    // A terminal that was closed takes no more lines.
    process.stdout.on('error', () => {});
    process.stderr.on('error', () => {});
  }

  /** @param starting what must have ended before anything is stopped: it may be starting something */
  await(starting: Promise<unknown>): void {
    this.#starting = starting.catch(() => {});
  }

  add(title: string, close: () => Promise<void>): void {
    this.#closers.push({ title, close });
  }

  /** @returns whether everything stopped as it should */
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
    if (this.#askedAtMs > 0) {
      if (Date.now() - this.#askedAtMs > ONE_WISH_MS) process.exit(130);
      return;
    }
    this.#askedAtMs = Date.now();
    say('\nStopping…');
    this.#abort.abort();
    await this.#starting;
    const isClean = await this.closeAll();
    if (isClean) say('✓ Stopped');
    process.exit(isClean ? 0 : 1);
  }
}
