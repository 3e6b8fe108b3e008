import { expect, test } from 'vitest';
import { oneRow } from './one-row.ts';

test('oneRow: returns the row, and fails when there is none or another', async () => {
  await expect(oneRow(Promise.resolve([{ count: 0 }]))).resolves.toEqual({ count: 0 });
  await expect(oneRow(Promise.resolve([]))).rejects.toThrow('returned 0 rows instead of one');
  await expect(oneRow(Promise.resolve([1, 2]))).rejects.toThrow('returned 2 rows instead of one');
});
