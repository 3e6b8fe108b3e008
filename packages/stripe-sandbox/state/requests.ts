/** The requests that came in, for tests that compare what a client sends. Card details and keys are taken out. */
import { jsonWithoutNumbers } from '../cards/numbers.ts';
import type { Store } from './store.ts';

const KEPT = 10_000;
const RECORDED_HEADERS = [
  'content-type',
  'idempotency-key',
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
  /** As it came, form-encoded, but for card details and the random part of tokens. */
  body: string;
  headers: Record<string, string>;
  operation: string | null;
};

/** @returns form-encoded text without card details: the number, the CVC and the random part of a token */
export function redactedBody(body: string): string {
  return body
    .replace(/(card(?:\[|%5B)(?:number|cvc)(?:\]|%5D)=)[^&]*/gi, '$1[redacted]')
    .replace(/(^|&)key=[^&]*/g, '$1key=[redacted]')
    .replace(/tok_1[0-9A-Za-z]{23}/g, 'tok_[redacted]');
}

/** @returns the headers that tell clients apart, with the key of `Authorization` shortened to its kind */
export function recordedHeaders(
  headers: Record<string, string | string[] | undefined>,
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of RECORDED_HEADERS) if (headers[name] !== undefined) kept[name] = String(headers[name]);
  if (headers.authorization !== undefined)
    kept.authorization = String(headers.authorization).replace(/((?:sk|pk|rk)_test_).*/, '$1[redacted]');
  return kept;
}

export function recordRequest(store: Store, request: RecordedRequest): void {
  const { lastInsertRowid } = store.database
    .prepare('INSERT INTO requests (json) VALUES (?)')
    .run(jsonWithoutNumbers(request));
  store.database.prepare('DELETE FROM requests WHERE id <= ?').run(Number(lastInsertRowid) - KEPT);
}

/** @param operation only requests for this operation @returns them, the oldest first */
export function listRequests(store: Store, operation?: string): RecordedRequest[] {
  const rows = store.database.prepare('SELECT json FROM requests ORDER BY id').all();
  const requests: RecordedRequest[] = rows.map((row) => JSON.parse(String(row.json)));
  return operation === undefined ? requests : requests.filter((request) => request.operation === operation);
}

export function clearRequests(store: Store): void {
  store.database.exec('DELETE FROM requests');
}
