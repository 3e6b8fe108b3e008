import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, newCards, newCustomer, newEntry, test } from '../support/fixtures.ts';
import { recordFailures, recordOperations, recordRefusals } from './recorder.ts';

const file = path.join(import.meta.dirname, '..', '..', 'src', 'api', 'recorded', 'responses.json');

/** `RECORD=1` records the examples again. The host sends some of the responses itself, before any handler. */
test("OpenAPI examples: equal the service's responses", { tag: '@host' }, async ({ api, db, customer }) => {
  await newEntry(db, customer, { amountCents: 128450n });
  const [failing, refused] = [await newCustomer(db), await newCustomer(db)];
  const [inCredit, withAllCards] = [await newCustomer(db), await newCustomer(db)];
  await newEntry(db, inCredit, { kind: 'credit', amountCents: 2550n });
  await newCards(db, withAllCards, 20);
  const recorded = {
    ...((await recordOperations(api, customer, inCredit)) as object),
    failures: await recordFailures(api, failing),
    refusals: await recordRefusals(api, refused, withAllCards),
  };
  if (process.env.RECORD) await writeFile(file, `${JSON.stringify(recorded, null, 2)}\n`);
  expect(recorded).toEqual(JSON.parse(await readFile(file, 'utf8')));
});
