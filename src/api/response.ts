import { z } from 'zod';
import { type ProblemCode, problems } from '#src/errors.ts';
import type { HttpResponse } from './messages.ts';
import type { ApiResponse, RequestContext } from './operation.ts';
import type { HttpProblem } from './problems.ts';

export const errorSchema = z
  .object({
    error: z.object({
      code: z.int().describe('The HTTP status.'),
      message: z.string().describe('What happened, for your developers. The wording can change.'),
      type: z.string().meta({
        description:
          'The error, for your program. The errors page lists all types, and new ones can be added.',
        examples: ['invalid_input'],
      }),
      doc_url: z.url().describe('The cause of the error and how to fix it.'),
      request_id: z
        .string()
        .describe('Include it when you contact support. In a replay, this is the ID of the first request.'),
      details: z
        .array(z.object({ param: z.string().meta({ examples: ['card.expMonth'] }), message: z.string() }))
        .optional()
        .describe('For a 400: the invalid parameters and what is wrong with each.'),
    }),
  })
  .meta({ id: 'ErrorResponse' });

export type ErrorBody = z.infer<typeof errorSchema>;

export type ErrorContext = {
  requestId: string;
  services: { settings: { publicUrl: string } };
};

export function problemResponse(problem: HttpProblem, { requestId, services }: ErrorContext): ApiResponse {
  const { code: type, message } = problem;
  const { status } = problems[type];
  const details = problem.details.length > 0 ? { details: problem.details } : {};
  const doc_url = docUrl(services.settings.publicUrl, type);
  const body: ErrorBody = {
    error: { code: status, message, type, doc_url, request_id: requestId, ...details },
  };
  return { status, body: JSON.stringify(body), headers: problem.headers };
}

/** @returns the entry of a problem on the errors page */
export function docUrl(publicUrl: string, type: ProblemCode): string {
  return `${publicUrl}/docs/errors#${type}`;
}

/** Headers of every response of the API. */
const commonHeaders = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;

/** HSTS (RFC 6797), which is sent over HTTPS only. */
export function transportSecurity(publicUrl: string): Record<string, string> {
  if (!publicUrl.startsWith('https:')) return {};
  return { 'Strict-Transport-Security': 'max-age=31536000; includeSubDomains' };
}

/** The response to HEAD has no body, but its headers. */
export function toResponse(
  response: ApiResponse,
  { services, request, requestId, responseHeaders }: RequestContext,
): HttpResponse {
  const hasBody = response.status !== 304 && response.status !== 204;
  const { gzipBody } = response;
  const isCompressed = gzipBody !== undefined && acceptsGzip(request);
  const headers = {
    ...(hasBody && { 'Content-Type': 'application/json; charset=utf-8' }),
    ...commonHeaders,
    ...transportSecurity(services.settings.publicUrl),
    'X-Request-Id': requestId,
    ...responseHeaders,
    ...response.headers,
    ...(gzipBody && encodingHeaders(response, isCompressed)),
  };
  const body = isCompressed ? gzipBody : response.body;
  return { status: response.status, headers, body: hasBody && request.method !== 'HEAD' ? body : null };
}

/** RFC 9110, section 12.5.3: `*` stands for what is not named. */
function acceptsGzip({ headers }: RequestContext['request']): boolean {
  const accepted = headers.get('accept-encoding') ?? '';
  const isNamed = /(?:^|,)\s*(gzip|\*)\s*(?:;\s*q=([\d.]+)\s*)?(?=,|$)/gi;
  const weights = new Map(
    [...accepted.matchAll(isNamed)].map(([, coding, weight = 1]) => [coding?.toLowerCase(), Number(weight)]),
  );
  return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0;
}

/** The entity tag is that of the body before compression, so it becomes a weak one. */
function encodingHeaders({ headers }: ApiResponse, isCompressed: boolean): Record<string, string> {
  const { ETag, Vary } = headers ?? {};
  return {
    Vary: Vary ? `Accept-Encoding, ${Vary}` : 'Accept-Encoding',
    ...(isCompressed && { 'Content-Encoding': 'gzip', ...(ETag && { ETag: `W/${ETag}` }) }),
  };
}
