import { hash } from 'node:crypto';
import type { z } from 'zod';

/** A response's body, and the entity tag of exactly this body. */
type TaggedBody = { body: string; etag: string };

const knownTagsMax = 10_000;

/**
 * Serializes an operation's output as JSON that conforms to its response schema. A body that conformed before is not
 * parsed again, because most reads find what the last one found.
 * @returns a function that throws ZodError for an output that does not conform
 */
export function responseSerializer(schema: z.ZodType): (output: unknown) => TaggedBody {
  const knownTags = new Set<string>();
  return (output) => {
    const received = tagged(JSON.stringify(output));
    if (knownTags.has(received.etag)) return received;
    // Fields that the schema does not know are left out.
    const parsed = tagged(JSON.stringify(schema.parse(output)));
    if (knownTags.size >= knownTagsMax) knownTags.clear();
    knownTags.add(parsed.etag);
    return parsed;
  };
}

function tagged(body: string): TaggedBody {
  return { body, etag: `"${hash('sha256', body, 'base64url').slice(0, 27)}"` };
}
