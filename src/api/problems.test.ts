import { expect, test } from 'vitest';
import { DatabaseBusyError } from '#db/pool.ts';
import { toProblem } from './problems.ts';

const busy = new DatabaseBusyError('Too many queries are waiting.');

test.each([
  ['a full database queue', busy],
  ['a full queue, as the cause of a failed query', new Error('Failed query', { cause: busy })],
  [
    'a full queue, from Next’s copy of the module',
    Object.assign(new Error('busy'), { code: 'DATABASE_BUSY' }),
  ],
  ['a refused connection', Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })],
  ['a statement timeout', Object.assign(new Error('canceled'), { code: '57014' })],
  ['a serialization failure', Object.assign(new Error('serialize'), { code: '40001' })],
  ['a deadlock', new Error('Failed query', { cause: Object.assign(new Error('x'), { code: '40P01' }) })],
  ['a read-only server', Object.assign(new Error('read-only'), { code: '25006' })],
  [
    'a server shutting down',
    new Error('Failed query', { cause: Object.assign(new Error('x'), { code: '57P01' }) }),
  ],
])('%s is 503 with Retry-After', (_case, error) => {
  expect(toProblem(error)).toMatchObject({ code: 'unavailable', retryAfterSeconds: 1, cause: error });
});

test.each([
  ['a programming error', new TypeError('x is not a function')],
  ['a syntax error in SQL', Object.assign(new Error('syntax'), { code: '42601' })],
  ['a thrown string', 'text'],
])('%s is 500', (_case, error) => {
  expect(toProblem(error)).toMatchObject({ code: 'internal', cause: error });
});
