import { services } from '#src/api/services.ts';
import { docsPages, pageMarkdown } from '#src/docs/pages.ts';

export const dynamic = 'force-dynamic';

/** All pages of the API docs as one Markdown text. */
export async function GET(): Promise<Response> {
  const text = docsPages(services().settings).map(pageMarkdown).join('\n');
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'private, max-age=300' };
  return new Response(text, { headers: { ...headers, 'X-Content-Type-Options': 'nosniff' } });
}
