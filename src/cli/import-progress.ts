import { progress } from '@clack/prompts';
import type { ReadProgress } from '#src/ledger/read-import.ts';

export type ImportProgress = { update: (progress: ReadProgress | 'adding') => void; end: () => void };

const steps = 100;
const everyMs = 200;

/**
 * A bar with rate and time left while a file is read, on a terminal only.
 * @param totalBytes of the file
 */
export function showProgress(totalBytes: number, isQuiet: boolean): ImportProgress {
  if (isQuiet || !process.stderr.isTTY) return { update: () => {}, end: () => {} };
  const startedAt = performance.now();
  const bar = progress({ style: 'light', max: steps, output: process.stderr });
  let [shown, shownAt] = [0, 0];
  bar.start('Reading the file');
  return {
    update: (state) => {
      if (state === 'adding') return bar.message('Checking and adding; nothing is kept until all is in');
      const now = performance.now();
      if (now - shownAt < everyMs) return;
      shownAt = now;
      const share = totalBytes === 0 ? 1 : state.bytes / totalBytes;
      const step = Math.floor(share * steps);
      bar.advance(step - shown, words(state.rows, share, (now - startedAt) / 1000));
      shown = step;
    },
    end: () => bar.stop('File read'),
  };
}

function words(rows: number, share: number, seconds: number): string {
  const rate = Math.round(rows / Math.max(seconds, 0.001));
  const left = share > 0 ? Math.ceil((seconds / share) * (1 - share)) : 0;
  return `${rows.toLocaleString('en-US')} rows, ${rate.toLocaleString('en-US')} a second, ${left} s left to read`;
}
