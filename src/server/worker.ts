/** One of several processes that serve the same port; the primary sends its settings, and says when to stop. */
import { once } from 'node:events';
import { createServices, provideServices } from '#src/api/services.ts';
import type { Settings } from '#src/settings.ts';
import { serve } from './serve.ts';

// A terminal's Ctrl-C comes here too: the primary hears it, and stops everything in order.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

const [settings] = (await once(process, 'message')) as [Settings];
// Listened for from here on, because a message that nobody listens for is lost.
const stopRequested = once(process, 'message');
const services = provideServices(createServices(settings));
const stop = await serve(services, false);
process.send?.('ready');
await stopRequested;
await stop();
await services.close();
process.exit();
