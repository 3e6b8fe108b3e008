import pLimit from 'p-limit';
import { expect, test } from '#e2e/support/fixtures.ts';
import { sendBytes } from '#e2e/support/http.ts';
import { printedSeed } from '#tools/testing/factories.ts';
import { faultsOf, rawRequests } from './raw-requests.ts';

const isFull = Boolean(process.env.FULL);

test('raw requests: return no 5xx, leave no connection open, and reach nothing without credentials', async ({
  baseURL,
}) => {
  test.setTimeout(isFull ? 3_600_000 : 180_000);
  const limit = pLimit(16);
  const statuses = new Map<string, number>();
  const found = rawRequests(printedSeed('raw requests'), isFull ? 10_000 : 500).map((bytes) =>
    limit(async () => {
      // It waits until the connection is closed, so one that is left open ends the test by its timeout.
      const response = await sendBytes(baseURL, bytes, { isWhole: true });
      for (const [, status = ''] of response.matchAll(/^HTTP\/1\.1 (\d{3}) /gm))
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      return { bytes: bytes.slice(0, 2_000), response: response.slice(0, 500), faults: faultsOf(response) };
    }),
  );
  const faulty = (await Promise.all(found)).filter(({ faults }) => faults.length > 0);
  expect(faulty.slice(0, 20)).toEqual([]);
  expect([...statuses.keys()]).toEqual(
    expect.arrayContaining(['200', '307', '400', '401', '404', '405', '421', '431']),
  );
});
