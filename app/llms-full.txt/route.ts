import { services } from '#src/api/services.ts';
import { docsPages, pageMarkdown } from '#src/docs/pages.ts';

export const dynamic = 'force-dynamic';

/** All pages of the API docs as one Markdown text. */
export async function GET(): Promise<Response> {
  const { settings } = services();
  const pages = docsPages(settings).map((page) => pageMarkdown(page, settings.publicUrl));
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'private, max-age=300' };
  return new Response(pages.join('\n'), { headers: { ...headers, 'X-Content-Type-Options': 'nosniff' } });
}
