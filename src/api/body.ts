import type { z } from 'zod';
import type { Detail } from '#src/errors.ts';
import { holdsCardNumber } from './card-numbers.ts';
import { idempotencyKeyOf } from './idempotency.ts';
import type { ApiRequest } from './messages.ts';
import { isRead, type Middleware } from './operation.ts';
import { HttpProblem } from './problems.ts';

const bodyBytesMax = 16 * 1024;

/** 415, then 413. */
export const readBody: Middleware = (operation) => {
  if (!operation.request?.body) return null;
  return async (context, next) => {
    if (mediaTypeOf(context.request) !== 'application/json') throw new HttpProblem('unsupported_media_type');
    const text = await readText(context.request);
    // RFC 8259, section 8.1: a byte order mark may be ignored.
    context.bodyText = text.replace(/^\uFEFF/, '');
    return next(context);
  };
};

/** 400 for invalid path parameters, query, headers, or body. */
export const validate: Middleware = (operation) => {
  const { params, query, headers, body } = operation.request ?? {};
  return async (context, next) => {
    context.input = {
      params: params && parse(params, context.pathParams),
      query: query && parse(query, queryOf(context.request.url)),
      body: body && parseBody(context.bodyText ?? '', body),
      idempotencyKey: isRead(operation) ? null : idempotencyKeyOf(context.request.headers),
    };
    if (headers) parse(headers, headersOf(context.request, headers));
    return next(context);
  };
};

/** In lower case, without parameters. */
export function mediaTypeOf({ headers }: ApiRequest): string {
  return headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
}

/**
 * @throws HttpProblem body_too_large, without reading the rest of the body; request_unreadable for one that does not arrive
 *   completely
 */
export async function readText(request: ApiRequest, bytesMax = bodyBytesMax): Promise<string> {
  const message = `The request body is larger than ${bytesMax / 1024} KiB.`;
  if (Number(request.headers.get('content-length') ?? 0) > bytesMax)
    throw new HttpProblem('body_too_large', { message });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request.body ?? []) {
      bytes += chunk.byteLength;
      if (bytes > bytesMax) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    // The client disconnected, stalled, or sent an invalid chunk (RFC 9112, section 8).
    throw new HttpProblem('request_unreadable', { cause });
  }
  if (bytes > bytesMax) throw new HttpProblem('body_too_large', { message });
  return Buffer.concat(chunks).toString('utf8');
}

/** @throws HttpProblem 400 for a body that is not JSON, contains a card number, or does not match the schema */
function parseBody(text: string, schema: z.ZodType): unknown {
  const value = parseJson(text);
  // The raw text too, because parsing rounds long numbers.
  if (holdsCardNumber(value) || holdsCardNumber(text)) throw new HttpProblem('card_number_in_request');
  return parse(schema, value);
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpProblem('malformed_json');
  }
}

/** @throws HttpProblem invalid_input, naming each invalid parameter */
export function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  const details = parsed.error.issues.map(
    (issue): Detail => ({ param: issue.path.join('.') || 'body', message: messageOf(issue) }),
  );
  throw new HttpProblem('invalid_input', { details });
}

function headersOf(request: ApiRequest, { shape }: z.ZodObject): Record<string, string | undefined> {
  const names = Object.keys(shape);
  return Object.fromEntries(names.map((name) => [name, request.headers.get(name) ?? undefined]));
}

function queryOf(url: string): Record<string, string> {
  return Object.fromEntries(new URL(url).searchParams);
}

/** Our own messages, because the validator's can repeat the input or change with its version. */
function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type')
    return issue.input === undefined ? 'Is required.' : `Must be ${article(issue.expected)}.`;
  if (issue.message.startsWith('Must ')) return issue.message;
  if (issue.code === 'too_big') return `Must have at most ${issue.maximum} characters.`;
  return 'Is not valid.';
}

function article(type: string): string {
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;
}
