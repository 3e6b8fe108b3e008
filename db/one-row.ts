/**
 * @param result of a statement that always returns one row, such as an aggregate
 * @throws Error if it returns another number of rows
 */
export async function oneRow<Row>(result: PromiseLike<readonly Row[]>): Promise<Row> {
  const rows = await result;
  const [row] = rows;
  if (row === undefined || rows.length > 1)
    throw new Error(`The statement returned ${rows.length} rows instead of one.`);
  return row;
}
