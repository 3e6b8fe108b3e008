import { services } from '#src/api/services.ts';
import { findDocsPage, pageMarkdown } from '#src/docs/pages.ts';

export const dynamic = 'force-dynamic';

/** The Markdown version of a page, at `/docs/<slug>.md` and with `Accept: text/markdown`. The slug of the start page is `index` here. */
export async function GET(
  _request: Request,
  { params }: RouteContext<'/docs/markdown/[slug]'>,
): Promise<Response> {
  const { slug } = await params;
  const { settings } = services();
  const page = findDocsPage(settings, slug === 'index' ? '' : slug);
  const headers = {
    'Content-Type': 'text/markdown; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
    Vary: 'Accept',
  };
  if (!page) return new Response('# Page not found\n', { status: 404, headers });
  return new Response(pageMarkdown(page, settings.publicUrl), {
    headers: { ...headers, 'Cache-Control': 'private, max-age=300' },
  });
}
