import { confirm, isCancel, progress } from '@clack/prompts';
import { DomainError } from '#src/errors.ts';
import type { ReadProgress } from '#src/ledger/read-import.ts';

/**
 * Asks for confirmation on a terminal, unless `--yes` or `--json` is given.
 * @throws DomainError refused when the user declines
 */
export async function requireConfirmation(
  question: string,
  options: { yes?: true; json?: true },
): Promise<void> {
  if (options.yes || options.json || !process.stdin.isTTY || !process.stdout.isTTY) return;
  const reply = await confirm({ message: question, initialValue: false });
  if (isCancel(reply) || !reply) throw new DomainError('refused', 'Nothing was changed.');
}

export type ProgressBar = { update: (progress: ReadProgress | 'adding') => void; stop: () => void };

const steps = 100;
const updateIntervalMs = 200;

/** Shows how much of a file was read, with the rate and the time left, if standard error is a terminal. */
export function showProgress(totalBytes: number, isQuiet: boolean): ProgressBar {
  if (isQuiet || !process.stderr.isTTY) return { update: () => {}, stop: () => {} };
  const startedAt = performance.now();
  const bar = progress({ style: 'light', max: steps, output: process.stderr });
  let [currentStep, updatedAt] = [0, 0];
  bar.start('Reading the file');
  return {
    update: (state) => {
      if (state === 'adding') return bar.message('Checking and adding the entries');
      const now = performance.now();
      if (now - updatedAt < updateIntervalMs) return;
      updatedAt = now;
      const share = totalBytes === 0 ? 1 : state.bytes / totalBytes;
      const step = Math.floor(share * steps);
      bar.advance(step - currentStep, progressText(state.rows, share, (now - startedAt) / 1000));
      currentStep = step;
    },
    stop: () => bar.stop('File read'),
  };
}

function progressText(rows: number, share: number, seconds: number): string {
  const rate = Math.round(rows / Math.max(seconds, 0.001));
  const secondsLeft = share > 0 ? Math.ceil((seconds / share) * (1 - share)) : 0;
  return `${rows.toLocaleString('en-US')} rows, ${rate.toLocaleString('en-US')} rows/s, ${secondsLeft} s left`;
}
