import { LRUCache } from 'lru-cache';
import type { ApiResponse, Middleware } from './operation.ts';
import { withRecord } from './principal.ts';

/** Characters of all bodies of an operation, and their number. */
const sizeMax = 32 * 1024 * 1024;
const responsesMax = 10_000;
/** A body that nobody asks for any more, such as an erased customer's, does not stay in memory. */
const ttlMs = 60 * 60 * 1000;

/**
 * Reads the record, unless the response for its version is cached. The statement that authenticates a request also reads
 * the version, so no response is sent that the database has not confirmed for this request.
 */
export const cacheResponses: Middleware = ({ reads, dependsOnlyOnReads }) => {
  if (reads === undefined) return null;
  const responses = new LRUCache<string, ApiResponse>({
    max: responsesMax,
    maxSize: sizeMax,
    ttl: ttlMs,
    ttlAutopurge: true,
    sizeCalculation: ({ body }) => body.length + 1,
  });
  return async (context, next) => {
    const { principal, services } = context;
    const cached = principal?.version && responses.get(principal.version);
    if (cached) return cached;
    if (reads === 'record' && principal && !principal.record) {
      const row = await services.keyReads.findRecord(principal.customerId);
      if (row) context.principal = withRecord(principal, row);
    }
    const response = await next(context);
    const version = context.principal?.version;
    if (dependsOnlyOnReads && version && response.etag !== undefined) responses.set(version, response);
    return response;
  };
};
