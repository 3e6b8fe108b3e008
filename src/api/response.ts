import { type HttpProblem, problems } from './problems.ts';
import type { ErrorBody } from './schemas/error.ts';

/** An answer before it is sent: what is kept for a replay is exactly this. */
export type Answer = { status: number; body: string; headers?: Record<string, string> };

export function problemAnswer(problem: HttpProblem): Answer {
  const { status, message } = problems[problem.code];
  const details = status === 400 && problem.details.length > 0 ? { details: problem.details } : {};
  const body: ErrorBody = { error: { code: status, message, ...details } };
  const retry: Record<string, string> = status === 409 || status === 424 ? { 'Retry-After': '2' } : {};
  return { status, body: JSON.stringify(body), headers: { ...retry, ...problem.headers } };
}

/** Headers of every answer of the API. */
const always = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;

/** @param isHead then the same headers, and no body */
export function toResponse(answer: Answer, requestId: string, isHead: boolean): Response {
  const isEmpty = isHead || answer.status === 304 || answer.status === 204;
  const { 'Content-Type': contentType, ...rest } = always;
  const hasType = answer.status !== 304 && answer.status !== 204;
  // A plain object: our host writes it as it is, where `Headers` would be copied twice.
  const headers = {
    ...(hasType && { 'Content-Type': contentType }),
    ...rest,
    'X-Request-Id': requestId,
    ...answer.headers,
  };
  return new Response(isEmpty ? null : answer.body, { status: answer.status, headers });
}

/**
 * Lets the caller keep a read and ask whether it is still the same.
 * @param etag what names the answer's body
 * @param ifNoneMatch the request's header
 */
export function revalidated(answer: Answer, etag: string, ifNoneMatch: string | null): Answer {
  const headers = {
    ...answer.headers,
    ETag: etag,
    'Cache-Control': 'private, no-cache',
    Vary: 'X-AUTH-APIKEY, X-AUTH-APISECRET, Cookie',
  };
  const isSame = ifNoneMatch
    ?.split(',')
    .some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);
  return isSame ? { status: 304, body: '', headers } : { ...answer, headers };
}
