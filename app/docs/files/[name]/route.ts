import { services } from '#src/api/services.ts';
import { findDocsFile } from '#src/docs/files.ts';

/** The files about the API, and the pages in Markdown. Their public paths are in `next.config.mjs`. */
export async function GET(
  _request: Request,
  { params }: RouteContext<'/docs/files/[name]'>,
): Promise<Response> {
  const { name } = await params;
  const file = findDocsFile(services().settings, name);
  const headers = {
    'Content-Type': file?.mediaType ?? 'text/markdown; charset=utf-8',
    // Pages in Markdown are also at the URLs of the pages.
    ...(name.endsWith('.md') && { Vary: 'Accept' }),
  };
  if (!file) return new Response('# Page not found\n', { status: 404, headers });
  return new Response(file.text, { headers: { ...headers, 'Cache-Control': 'private, max-age=300' } });
}
