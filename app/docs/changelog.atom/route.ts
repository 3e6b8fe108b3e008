import { services } from '#src/api/services.ts';
import { changelogFeed } from '#src/docs/changelog-feed.ts';

export const dynamic = 'force-dynamic';

export async function GET(): Promise<Response> {
  return new Response(changelogFeed(services().settings), {
    headers: {
      'Content-Type': 'application/atom+xml; charset=utf-8',
      'Cache-Control': 'private, max-age=300',
      'X-Content-Type-Options': 'nosniff',
    },
  });
}
