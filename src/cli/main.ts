/** `npm run operator -- …`: commands for the support team. */
import { enableCompileCache } from 'node:module';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';

// A small young generation keeps an import of a million rows under 200 MB. V8 takes these flags only before it has loaded anything.
setFlagsFromString('--max-semi-space-size=4');
setFlagsFromString('--semi-space-growth-factor=1');
// Halves the time that a command takes to start. Not in the system's temporary folder, where other users could put code.
enableCompileCache(path.join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'node'));

// `operator … | head` closes the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

const { runOperator } = await import('./program.ts');
await runOperator();
