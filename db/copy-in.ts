import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Sql } from 'postgres';
import { isTransactionFailed } from './errors.ts';

/**
 * Sends rows to a `COPY … FROM STDIN`.
 * @param chunks lines of COPY's text format
 * @throws PostgreSQL's error, or for the last rows of a stream one that refers to its log
 */
export async function copyIn(
  sql: Sql,
  statement: string,
  chunks: AsyncIterable<string | Buffer>,
): Promise<void> {
  // A simple query: after an error in another one, PostgreSQL waits for a message that postgres.js does not send.
  const stream: Writable = await sql.unsafe(statement).writable();
  // Between the end of the pipeline and that of the stream, nothing else listens.
  stream.on('error', () => {});
  await pipeline(chunks, stream, { end: false });
  stream.end();
  // postgres.js never ends a stream that PostgreSQL refuses after its last row. The next statement fails then.
  await sql`select 1`.catch((error: unknown) => {
    if (!isTransactionFailed(error)) throw error;
    throw new Error('PostgreSQL refused the rows. Its log has the reason.', { cause: error });
  });
}
