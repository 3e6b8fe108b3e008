/** The headers of requests as the OpenAPI document lists them. */
import { z } from 'zod';

const requestId = z
  .string()
  .optional()
  .meta({
    description:
      'An id of your own for this request: 8 to 64 letters, digits, `.`, `_`, `:` or `-`. Anything else is replaced by a new one.',
    examples: ['order-2026-11-20.7'],
  });
const ifNoneMatch = z.string().optional().meta({ description: 'The `ETag` of an earlier answer.' });
const idempotencyKey = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[\x20-\x7e]+$/)
  .optional()
  .meta({
    description:
      'Printable ASCII text of your own: a repeated request with it gets the first answer, for 24 hours.',
    examples: ['7f0c5d1e-3d0f-4c39-9a43-3f1f5b1d7c11'],
  });

/** What every read takes. */
export const readHeaders = z.object({ 'If-None-Match': ifNoneMatch, 'X-Request-Id': requestId });

/** What every change takes. */
export const changeHeaders = z.object({ 'Idempotency-Key': idempotencyKey, 'X-Request-Id': requestId });
