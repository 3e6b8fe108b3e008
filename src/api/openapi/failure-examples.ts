import type { ErrorBody } from '#src/api/schemas/error.ts';
import examples from './examples.json' with { type: 'json' };
import faults from './fault-examples.json' with { type: 'json' };

const recorded = { ...examples.failures, ...faults };

export type FailureName = keyof typeof recorded;

/** What the service answered when each failure was recorded, by the failure's code. */
export const failureExamples: Record<FailureName, ErrorBody> = recorded;

/** What any operation may answer. */
const ofAny: FailureName[] = [
  'request_unreadable',
  'authentication_required',
  'key_unknown',
  'secret_invalid',
  'account_disabled',
  'method_not_allowed',
  'request_timeout',
  'too_many_requests',
  'too_many_failures',
  'headers_too_large',
  'internal',
  'unavailable',
];
const ofChanges: FailureName[] = [
  ...ofAny,
  'idempotency_key_invalid',
  'idempotency_in_flight',
  'idempotency_mismatch',
];

/** The failures that each operation of the document shows. */
export const failuresOf = {
  getCustomer: ofAny,
  getPayout: ofAny,
  addCard: [
    'invalid_input',
    'malformed_json',
    'card_number_in_request',
    'token_invalid',
    'card_in_flight',
    'body_too_large',
    'unsupported_media_type',
    'provider_unavailable',
    'too_many_declines',
    ...ofChanges,
  ],
  removeCard: ['invalid_selector', 'card_not_found', ...ofChanges],
} satisfies Record<string, FailureName[]>;
