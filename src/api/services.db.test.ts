import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readSettings } from '#src/settings.ts';
import { testDatabase } from '#tools/testing/database.ts';
import { temporaryFolder } from '#tools/testing/processes.ts';
import { testSessionSecret as SESSION_SECRET } from '#tools/testing/settings.ts';
import { createServices } from './services.ts';

const { url } = await testDatabase();
const keys = (mode: string) => ({
  STRIPE_SECRET_KEY: `sk_${mode}_1`,
  STRIPE_PUBLISHABLE_KEY: `pk_${mode}_1`,
});

test.each([
  ['sandbox', { PAYMENTS: 'sandbox', ...keys('test') }],
  ['test', keys('test')],
  [
    'live',
    {
      ...keys('live'),
      STRIPE_WEBHOOK_SECRET: 'whsec_m5Vb2qYx8Rk0TzLp7Wn3Jc6Hd9Fg4Sa1',
      PUBLIC_URL: 'https://scheduling.example',
    },
  ],
])('createServices: the first line of the log has the mode %s', async (mode, env) => {
  const folder = await temporaryFolder('log of a start');
  const LOG_FILE = path.join(folder.path, 'service.log');
  const services = createServices(readSettings({ DATABASE_URL: url, SESSION_SECRET, LOG_FILE, ...env }));
  const written = () => readFile(LOG_FILE, 'utf8');
  await expect.poll(written).toContain('\n');
  const [first = ''] = (await written()).split('\n');
  expect(JSON.parse(first)).toMatchObject({ mode, msg: 'The service is starting.' });
  await services.close();
  await folder.remove();
});
