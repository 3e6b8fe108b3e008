/** `next start` of the same build, on the service's database and payment sandbox. */
import path from 'node:path';
import { openEmbeddedDatabase } from '#db/embedded/index.ts';
import { startSandbox } from '#packages/stripe-sandbox/index.ts';
import { installationSecrets } from '#src/installation-secrets.ts';
import { programOf } from '#tools/checkout.ts';
import { startProgram } from '#tools/testing/processes.ts';

const { PLAIN_PORT = '', SANDBOX_PORT = '', DATA_DIR = '' } = process.env;

const database = await openEmbeddedDatabase(DATA_DIR);
const secrets = await installationSecrets(DATA_DIR);
// The service's sandbox serves card fields only to the service's origin, so these pages use a second sandbox on its data.
const cardFields = await startSandbox({
  host: '127.0.0.1',
  port: 0,
  dataFile: path.join(DATA_DIR, 'sandbox.sqlite'),
  pageOrigins: [`http://127.0.0.1:${PLAIN_PORT}`],
  secretKey: secrets.sandboxSecretKey,
  publishableKey: secrets.sandboxPublishableKey,
});
const program = startProgram(
  [
    '--import',
    './e2e/support/recorded-responses.ts',
    programOf('next'),
    'start',
    '--hostname',
    '127.0.0.1',
    '--port',
    PLAIN_PORT,
  ],
  {
    ...process.env,
    NODE_ENV: 'production',
    NEXT_TELEMETRY_DISABLED: '1',
    PORT: PLAIN_PORT,
    HOST: '127.0.0.1',
    DATABASE_URL: database.webUrl,
    SESSION_SECRET: secrets.sessionSecret,
    PAYMENTS: 'sandbox',
    SANDBOX_PORT: `${cardFields.port}`,
    STRIPE_SECRET_KEY: secrets.sandboxSecretKey,
    STRIPE_PUBLISHABLE_KEY: secrets.sandboxPublishableKey,
    STRIPE_WEBHOOK_SECRET: secrets.sandboxWebhookSecret,
    STRIPE_API_BASE: `http://127.0.0.1:${SANDBOX_PORT}`,
    LOG_FILE: path.join(DATA_DIR, 'service.log'),
  },
);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => program.kill(signal));
const code = await program.exited;
await cardFields.close();
await database.release();
process.exit(code ?? 0);
