import { expect, test } from 'vitest';
import { DatabaseBusyError } from '#db/errors.ts';
import { DomainError, problems } from '#src/errors.ts';
import { ProviderError } from '#src/payments/provider.ts';
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
  ...[
    ['CONNECT_TIMEOUT', 'CONNECTION_CLOSED', 'CONNECTION_ENDED', 'CONNECTION_DESTROYED'],
    ['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH'],
    ['08000', '08P01', '25P04', '53100', '53300', '55P03', '57P03'],
  ]
    .flat()
    .map((code): [string, Error] => [`the code ${code}`, Object.assign(new Error('x'), { code })]),
  ['a missing socket file', Object.assign(new Error('x'), { code: 'ENOENT', syscall: 'connect' })],
  [
    'a refused connection to one of two addresses',
    new AggregateError([new Error('x'), Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })]),
  ],
])('%s is 503 with Retry-After', (_case, error) => {
  expect(toProblem(error)).toMatchObject({ code: 'unavailable', retryAfterSeconds: 1, cause: error });
});

test.each([
  ['a programming error', new TypeError('x is not a function')],
  ['a failure because of one', new Error('Failed', { cause: new TypeError('x is not a function') })],
  ['a syntax error in SQL', Object.assign(new Error('syntax'), { code: '42601' })],
  ['a canceled notification, of another class 57', Object.assign(new Error('x'), { code: '57000' })],
  ['a code that only begins like one', Object.assign(new Error('x'), { code: 'EPIPEX' })],
  ['a code that only ends like one', Object.assign(new Error('x'), { code: 'XEPIPE' })],
  ['another missing file', Object.assign(new Error('x'), { code: 'ENOENT', syscall: 'open' })],
  ['a mistake in a request to the provider', new ProviderError('misuse', 'parameter_missing', true)],
  ['a failure of an operator command', new DomainError('refused', 'Already reversed.')],
  ['an error without a cause', new AggregateError([new Error('x')])],
  ['a thrown string', 'text'],
  ['nothing', null],
])('%s is 500', (_case, error) => {
  expect(toProblem(error)).toMatchObject({ code: 'internal', details: [], cause: error });
});

test('a payment provider that rejects our key is 503 for a minute, and one that fails is 424', () => {
  const [denied, failed] = [
    new ProviderError('denied', 'StripeAuthenticationError', false),
    new ProviderError('unavailable', 'not_reached', false),
  ];
  expect(toProblem(denied)).toMatchObject({ code: 'unavailable', retryAfterSeconds: 60, cause: denied });
  expect(toProblem(failed)).toMatchObject({ code: 'provider_unavailable', cause: failed });
});

test('a failure that the API documents keeps its code, details, and cause', () => {
  const details = [{ param: 'token', message: 'Is required.' }];
  const failure = new DomainError('invalid_input', 'Only for the log.', details);
  const problem = toProblem(failure);
  const { message } = problems.invalid_input;
  expect(problem).toMatchObject({ code: 'invalid_input', message, details, cause: failure });
  expect(problem.retryAfterSeconds).toBeUndefined();
  expect(toProblem(problem)).toBe(problem);
});
