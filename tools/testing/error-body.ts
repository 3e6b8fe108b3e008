import { exampleContext } from '#src/api/openapi-responses.ts';
import { type ProblemCode, problems } from '#src/api/problems.ts';
import { docUrl } from '#src/api/response.ts';

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
