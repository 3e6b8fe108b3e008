import { expect, test } from 'vitest';
import { DatabaseBusyError } from '#db/pool.ts';
import { toProblem } from './problems.ts';

const busy = new DatabaseBusyError('Too many queries are waiting.');

test.each([
  ['a database that is busy', busy],
  ['the same out of a query', new Error('Failed query', { cause: busy })],
  ['the same of another copy of the code', Object.assign(new Error('busy'), { code: 'DATABASE_BUSY' })],
  ['a connection that was refused', Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })],
  ['a statement that took too long', Object.assign(new Error('canceled'), { code: '57014' })],
  ['a serialization failure', Object.assign(new Error('serialize'), { code: '40001' })],
  ['a deadlock', new Error('Failed query', { cause: Object.assign(new Error('x'), { code: '40P01' }) })],
  ['a server that accepts no writes', Object.assign(new Error('read-only'), { code: '25006' })],
  ['a shutdown', new Error('Failed query', { cause: Object.assign(new Error('x'), { code: '57P01' }) })],
])('%s is 503, to be tried again', (_case, error) => {
  expect(toProblem(error)).toMatchObject({ code: 'unavailable', retryAfterSeconds: 1, cause: error });
});

test.each([
  ['a mistake of ours', new TypeError('x is not a function')],
  ['a statement that is wrong', Object.assign(new Error('syntax'), { code: '42601' })],
  ['what is no error at all', 'a text'],
])('%s is 500', (_case, error) => {
  expect(toProblem(error)).toMatchObject({ code: 'internal', cause: error });
});
