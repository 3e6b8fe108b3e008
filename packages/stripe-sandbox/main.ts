/**
 * Runs the sandbox on its own: `node packages/stripe-sandbox/main.ts --data FILE --page-origin http://127.0.0.1:3000`.
 * `--page-origin` may be repeated. Other options: --host, --port, --secret-key, --publishable-key, --webhook-url,
 * --webhook-secret.
 */
import { parseArgs } from 'node:util';
import { startSandbox } from './index.ts';

const { values } = parseArgs({
  options: {
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '0' },
    data: { type: 'string' },
    'page-origin': { type: 'string', multiple: true, default: [] },
    'secret-key': { type: 'string', default: 'sk_test_sandbox' },
    'publishable-key': { type: 'string', default: 'pk_test_sandbox' },
    'webhook-url': { type: 'string' },
    'webhook-secret': { type: 'string', default: 'whsec_sandbox' },
  },
});
if (values.data === undefined) throw new Error('Pass --data FILE, where the sandbox keeps its state.');

const url = values['webhook-url'];
const sandbox = await startSandbox({
  host: values.host,
  port: Number(values.port),
  dataFile: values.data,
  pageOrigins: values['page-origin'],
  secretKey: values['secret-key'],
  publishableKey: values['publishable-key'],
  ...(url === undefined ? {} : { webhook: { url, secret: values['webhook-secret'] } }),
  onError: (error) => process.stderr.write(`${error instanceof Error ? error.stack : error}\n`),
});
process.stdout.write(`The sandbox listens at ${sandbox.origin}\n`);

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void sandbox.close().then(() => process.exit(0)));
