import type { z } from 'zod';
import { holdsCardNumber } from './card-numbers.ts';
import { HttpProblem } from './problems.ts';

/** Of a request to the API. */
const mostBytes = 16 * 1024;

/** @throws HttpProblem 415, then 413 */
export async function readJsonText(request: Request): Promise<string> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new HttpProblem('unsupported_media_type');
  const text = await readText(request, mostBytes);
  if (text === null) throw new HttpProblem('body_too_large');
  return text;
}

/** @returns the body, or null when it is larger than that; then the rest of it is not read */
export async function readText(request: Request, mostBytes: number): Promise<string | null> {
  if (Number(request.headers.get('content-length') ?? 0) > mostBytes) return null;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > mostBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * @param text the body as it came
 * @throws HttpProblem 400: not JSON, a card number anywhere in it, or not what the schema says
 */
export function parseBody<Schema extends z.ZodType>(text: string, schema: Schema): z.infer<Schema> {
  const value = parseJson(text);
  // The raw text too: a number literal is rounded when it is parsed.
  if (holdsCardNumber(value) || holdsCardNumber(text)) throw new HttpProblem('card_number_in_request');
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  const details = parsed.error.issues.map((issue) => ({
    param: issue.path.join('.') || 'body',
    message: wording(issue),
  }));
  throw new HttpProblem('invalid_input', { details });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpProblem('malformed_json');
  }
}

/** In our own words: a parser's may repeat the input or change with its version. */
function wording(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type')
    return issue.input === undefined ? 'Is required.' : `Must be ${article(issue.expected)}.`;
  if (issue.code === 'too_big') return `Must have at most ${issue.maximum} characters.`;
  if (issue.code === 'invalid_format' && issue.message.startsWith('Must ')) return issue.message;
  return 'Is not valid.';
}

function article(type: string): string {
  return `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;
}
