import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '../fixtures.ts';

const checkout = path.join(import.meta.dirname, '..', '..');

/** `operator request show ID`, beside the running service. */
async function linesOf(requestId: string | undefined): Promise<Record<string, unknown>[]> {
  const operator = ['operator/main.ts', '--json', 'request', 'show', requestId ?? ''];
  const env = { ...process.env, DATA_DIR: process.env.E2E_DATA_DIR, LOG_FILE: '' };
  const { stdout } = await promisify(execFile)(process.execPath, operator, { cwd: checkout, env });
  return JSON.parse(stdout).lines;
}

test('the id on any answer finds its line in the log', async ({ api, customer }) => {
  const detail = '/schedule/v1/customers/detail';
  const cards = '/api/schedule/v1/payment/cards';
  const wrong = { ...customer, apiSecret: 'secret_test_wrong' };
  const answers = {
    read: await api('GET', detail, { as: customer }),
    refused: await api('GET', detail, { as: wrong }),
    added: await api('POST', cards, { as: customer, body: { token: 'tok_visa', card: {} } }),
    elsewhere: await api('GET', `${detail}/x`),
    unreadable: await api('GET', detail, { headers: { Host: 'not a host' } }),
  };
  const found = async ({ headers }: (typeof answers)['read']) => linesOf(headers['x-request-id']);
  expect(await found(answers.read)).toMatchObject([
    { operation: 'customers.detail', method: 'GET', status: 200, customerId: customer.id },
  ]);
  expect(await found(answers.refused)).toMatchObject([{ operation: 'customers.detail', status: 403 }]);
  expect(await found(answers.added)).toMatchObject([
    {
      operation: 'cards.add',
      status: 200,
      elapsedMs: expect.any(Number),
      provider: expect.arrayContaining([
        expect.objectContaining({ requestId: expect.stringMatching(/^req_/) }),
      ]),
    },
  ]);
  expect(await found(answers.elsewhere)).toMatchObject([{ operation: 'not_found', status: 404 }]);
  expect(await found(answers.unreadable)).toMatchObject([{ operation: 'request_unreadable', status: 400 }]);
});
