/** `npm run operator -- …`: commands for the support team. */
import { setFlagsFromString } from 'node:v8';
import '#src/fast-imports.mjs';

// A small young generation keeps an import of a million rows under 200 MB. V8 takes these flags only before it has loaded anything.
setFlagsFromString('--max-semi-space-size=4');
setFlagsFromString('--semi-space-growth-factor=1');

// `operator … | head` closes the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(
    `The output can't be written (${error.message}). If the command changes something, it may have done so.\n`,
  );
  process.exit(1);
});
// So does `operator … 2>&1 | head`, which must not end a command that has only messages to print.
process.stderr.on('error', () => {});

const { runOperator } = await import('./program.ts');
await runOperator();
