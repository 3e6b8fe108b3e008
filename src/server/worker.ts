/** One of several processes that serve the same port; the process that started it says when to stop. */
import { closeDatabase } from '#db/client.ts';
import { serve } from './serve.ts';

// A terminal's Ctrl-C comes here too: the process that started this one hears it, and ends things in their order.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

// Listened for from the start: what is said before somebody listens is lost.
const asked = new Promise((resolve) => process.once('message', resolve));

const stop = await serve(false);
process.send?.('ready');
await asked;
await stop();
await closeDatabase();
process.exit();
