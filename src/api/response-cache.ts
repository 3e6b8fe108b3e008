import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import { type ApiResponse, isRead, type Middleware, type Next, type RequestContext } from './operation.ts';
import { withRecord } from './principal.ts';
import { HttpProblem } from './problems.ts';

/**
 * Lets a caller with an API key cache and revalidate reads (RFC 9110, section 13.1.2). Browser sessions do not cache.
 */
export const revalidate: Middleware = (operation) => {
  if (!isRead(operation)) return null;
  return async (context, next) => {
    const response = await next(context);
    if (response.etag === undefined || context.principal?.via !== 'keys') return response;
    const headers = {
      ETag: response.etag,
      'Cache-Control': 'private, no-cache',
      Vary: 'X-AUTH-APIKEY, X-AUTH-APISECRET, Cookie',
    };
    const condition = context.request.headers.get('if-none-match');
    const isSame = condition === '*' || condition?.match(/"[^"]*"/g)?.includes(response.etag);
    return isSame ? { status: 304, body: '', headers } : { ...response, headers };
  };
};

/**
 * @returns an operation's output as JSON, without the fields that its response schema does not know, and the entity tag of
 *   exactly this body
 * @throws ZodError for an output that does not conform
 */
export function serialize(schema: z.ZodType, output: unknown): { body: string; etag: string } {
  const body = JSON.stringify(schema.parse(output));
  return { body, etag: `"${hash('sha256', body, 'base64url').slice(0, 27)}"` };
}

/** Characters of all bodies of an operation, and their number. */
const sizeMax = 32 * 1024 * 1024;
const responsesMax = 10_000;
/** A body that nobody asks for any more, such as an erased customer's, does not stay in memory. */
const ttlMs = 60 * 60 * 1000;
/** A shorter body, which fits in a few packets, is not worth the time to decompress it. */
const gzipCharactersMin = 8 * 1024;

const compress = promisify(gzip);

/**
 * Reads the record, unless the response for its version is cached, a long one compressed too. The statement that authenticates a
 * request also reads the version, so no response is sent that the database has not confirmed for this request.
 */
export const cacheResponses: Middleware = ({ reads, request }) => {
  if (reads === undefined) return null;
  const read = async (context: RequestContext, next: Next): Promise<ApiResponse> => {
    const { principal, services } = context;
    if (reads === 'record' && principal) {
      const row = await services.keyReads.findRecord(principal.customerId);
      // Erased since the authentication, so what is left is not a record.
      if (row?.status !== 'Active') throw new HttpProblem('account_disabled');
      context.principal = withRecord(principal, row);
    }
    return next(context);
  };
  // The response depends on the request's parameters too.
  if (request !== undefined) return read;

  const responses = new LRUCache<string, ApiResponse>({
    max: responsesMax,
    maxSize: sizeMax,
    ttl: ttlMs,
    ttlAutopurge: true,
    sizeCalculation: ({ body, gzipBody }) => body.length + (gzipBody?.length ?? 0) + 1,
  });
  const readAndStore = async (version: string, context: RequestContext, next: Next): Promise<ApiResponse> => {
    const response = await read(context, next);
    // Failures are not stored.
    if (response.etag === undefined) return response;
    const isLong = response.body.length >= gzipCharactersMin;
    const complete = isLong ? { ...response, gzipBody: await compress(response.body) } : response;
    // The record may have changed since the authentication.
    responses.set(context.principal?.version ?? version, complete);
    return complete;
  };
  /**
   * The requests of a burst with one version wait for the first one, which reads and compresses the record. If it failed or the
   * record has changed, each reads it.
   */
  const underWay = new Map<string, Promise<unknown>>();
  return async (context, next) => {
    const version = context.principal?.version;
    if (!version) return read(context, next);
    const first = underWay.get(version);
    if (first) await first.catch(() => {});
    const known = responses.get(version);
    if (known) return known;
    const response = readAndStore(version, context, next).finally(() => underWay.delete(version));
    underWay.set(version, response);
    return response;
  };
};
