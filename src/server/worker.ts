/** One of several processes that serve the same port. The primary sends the settings and the signal to stop. */
import { once } from 'node:events';
import { createServices, provideServices } from '#src/api/services.ts';
import { reportMetrics } from '#src/metrics.ts';
import type { Settings } from '#src/settings.ts';
import { keepConsoleOffStdout } from './cli-output.ts';
import { serve } from './host.ts';
import { shutdownSignals } from './shutdown.ts';

keepConsoleOffStdout({ isDevelopment: false });
// Ctrl-C reaches this process too. The primary handles it and stops everything in order.
for (const signal of shutdownSignals) process.on(signal, () => {});

const [settings] = (await once(process, 'message')) as [Settings];
// Registered early, because a message without a listener is lost. The primary also asks for metrics.
const { promise: stopRequested, resolve: requestStop } = Promise.withResolvers<void>();
process.on('message', (message) => message === 'stop' && requestStop());
const services = provideServices(createServices(settings));
if (services.metrics) reportMetrics(services.metrics);
const stop = await serve(services, false);
process.send?.('ready');
await stopRequested;
await stop();
await services.close();
process.exit();
