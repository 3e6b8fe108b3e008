import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { testDatabase } from '#tools/testing/database.ts';
import { deleteInBatches } from './delete-in-batches.ts';
import { providerEvents } from './schema.ts';

const { owner } = await testDatabase();

it('deletes a backlog that is larger than a batch, and no other rows', async () => {
  await owner.execute(sql`
    insert into provider_events (id, type, created_at)
    select n::text, 'old', now() - interval '90 days' from generate_series(1, 20001) n union all
    select 'new', 'new', now()`);
  await deleteInBatches(owner, providerEvents, sql`created_at < now() - interval '30 days'`);
  expect(await owner.select({ id: providerEvents.id }).from(providerEvents)).toEqual([{ id: 'new' }]);
});
