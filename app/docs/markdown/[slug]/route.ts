import { markdownOf } from '#components/docs/markdown.ts';
import { findDocsPage } from '#src/docs/pages.ts';

export const dynamic = 'force-dynamic';

/** The Markdown copy of a page, asked for as `/docs/….md`; the first page is `index` here. */
export async function GET(
  _request: Request,
  { params }: { params: Promise<{ slug: string }> },
): Promise<Response> {
  const { slug } = await params;
  const page = findDocsPage(slug === 'index' ? '' : slug);
  const headers = { 'Content-Type': 'text/markdown; charset=utf-8', 'X-Content-Type-Options': 'nosniff' };
  if (!page) return new Response('# There is no page at this address\n', { status: 404, headers });
  return new Response(markdownOf(page), { headers: { ...headers, 'Cache-Control': 'public, max-age=300' } });
}
