/** Recorded requests, for tests of what a client sends. Card details and keys are redacted. */
import { jsonWithoutNumbers } from '../cards/numbers.ts';
import type { Store } from './store.ts';

const RECORDED_MAX = 2_000;
/** Requests between two deletions of other old rows. */
const TRIM_EVERY = 100;
const RECORDED_HEADERS = [
  'content-type',
  'idempotency-key',
  'traceparent',
  'stripe-version',
  'user-agent',
  'accept',
] as const;

export type RecordedRequest = {
  id: string;
  /** Milliseconds since 1970. */
  at: number;
  method: string;
  path: string;
  query: string;
  /** Form-encoded as sent, except for redacted card details and token IDs. */
  body: string;
  headers: Record<string, string>;
  operation: string;
};

/** Redacts card numbers, CVCs, keys, and token IDs in form-encoded text. */
export function redactedBody(body: string): string {
  return body
    .replace(/(card(?:\[|%5B)(?:number|cvc)(?:\]|%5D)=)[^&]*/gi, '$1[redacted]')
    .replace(/(^|&)key=[^&]*/g, '$1key=[redacted]')
    .replace(/tok_1[0-9A-Za-z]{23}/g, 'tok_[redacted]');
}

export function recordedHeaders(
  headers: Record<string, string | string[] | undefined>,
): Record<string, string> {
  const authorization = headers.authorization?.toString().replace(/((?:sk|pk|rk)_test_).*/, '$1[redacted]');
  const recorded = [
    ...RECORDED_HEADERS.map((name) => [name, headers[name]]),
    ['authorization', authorization],
  ];
  return Object.fromEntries(recorded.filter(([, value]) => value !== undefined));
}

export function recordRequest(store: Store, request: RecordedRequest): void {
  const { lastInsertRowid } = store.database
    .prepare('INSERT INTO requests (json) VALUES (?)')
    .run(jsonWithoutNumbers(request));
  const id = Number(lastInsertRowid);
  store.database.prepare('DELETE FROM requests WHERE id <= ?').run(id - RECORDED_MAX);
  if (id % TRIM_EVERY === 0) store.trim();
}

/** @returns requests, oldest first */
export function listRequests(store: Store, operation?: string): RecordedRequest[] {
  const rows = store.database.prepare('SELECT json FROM requests ORDER BY id').all();
  const requests: RecordedRequest[] = rows.map((row) => JSON.parse(String(row.json)));
  return operation === undefined ? requests : requests.filter((request) => request.operation === operation);
}

export function clearRequests(store: Store): void {
  store.database.exec('DELETE FROM requests');
}
