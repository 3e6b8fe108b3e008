/** Replaces what differs between two runs by the values of the documented examples. */
import { exampleContext } from '#src/api/openapi-responses.ts';
import { docUrl } from '#src/api/response.ts';
import { timestampSchema } from '#src/api/schemas.ts';
import { type ProblemCode, problems } from '#src/errors.ts';

const { requestId, services } = exampleContext;
const { publicUrl } = services.settings;

/** @returns an error response with the host and the request ID of the documented examples */
export function normalizeError<Body>(body: Body): Body {
  const text = JSON.stringify(body)
    .replace(/"request_id":"[^"]*"/, `"request_id":"${requestId}"`)
    .replace(/"doc_url":"https?:\/\/[^/"]+/, `"doc_url":"${publicUrl}`);
  return JSON.parse(text) as Body;
}

/** @returns what `normalizeError` returns for a response with this error */
export function errorBody(type: ProblemCode, message: string): object {
  const { status: code } = problems[type];
  return { error: { code, message, type, doc_url: docUrl(publicUrl, type), request_id: requestId } };
}

const fixed: Record<string, unknown> = {
  uuid: '00000000-0000-4000-8000-000000000001',
  replaced: '00000000-0000-4000-8000-000000000002',
  period_start: '2026-11-01T00:00:00-07:00',
  period_end: '2026-12-01T00:00:00-08:00',
  expMonth: '09',
  expYear: '2031',
  username: 'acme',
  email: 'ops@acme.example',
  api_key: 'key_test_YOUR_KEY',
  slug: 'testville',
  client_secret: 'seti_…_secret_…',
};

/** @returns a response with the IDs, times, and names of the documented examples */
export function normalize(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalize);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => {
    if (key in fixed && typeof inner === 'string') return [key, fixed[key]];
    if (timestampSchema.safeParse(inner).success) return [key, '2026-11-20T23:45:00+00:00'];
    if (key === 'id' && typeof inner === 'number') return [key, 1];
    if (key === 'name' && typeof inner === 'string' && inner.endsWith(' Deliveries'))
      return [key, 'Acme Flowers'];
    return [key, normalize(inner)];
  });
  return Object.fromEntries(entries);
}
