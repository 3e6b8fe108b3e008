import { services } from '#src/api/services.ts';
import { searchIndex } from '#src/docs/search-index.ts';

export const dynamic = 'force-dynamic';

/** The index that the search in the browser loads when it is first used. */
export async function GET(): Promise<Response> {
  return Response.json(searchIndex(services().settings), {
    headers: { 'Cache-Control': 'private, max-age=300', 'X-Content-Type-Options': 'nosniff' },
  });
}
