import { services } from '#src/api/services.ts';
import { postmanCollection } from '#src/docs/postman.ts';

export const dynamic = 'force-dynamic';

/** A collection for Postman, which Bruno imports too. */
export async function GET(): Promise<Response> {
  return Response.json(postmanCollection(services().settings), {
    headers: { 'Cache-Control': 'private, max-age=300', 'X-Content-Type-Options': 'nosniff' },
  });
}
