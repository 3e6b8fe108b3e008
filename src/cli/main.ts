/** `npm run operator -- …`: the commands of the support team. */
import { enableCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';

// What loads and streams through is soon garbage: a small nursery for it keeps a million rows under 200 MB. This has
// to be said before anything is loaded.
setFlagsFromString('--max-semi-space-size=4');
setFlagsFromString('--semi-space-growth-factor=1');
// A command takes half as long to start when nothing has to be compiled.
enableCompileCache();

const { runOperator } = await import('./cli.ts');
await runOperator();
