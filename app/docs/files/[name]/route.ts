import { services } from '#src/api/services.ts';
import { docsFiles } from '#src/docs/files.ts';

/** The OpenAPI document and the other files about the API, whose public paths are in `next.config.mjs`. */
export async function GET(
  _request: Request,
  { params }: RouteContext<'/docs/files/[name]'>,
): Promise<Response> {
  const { name } = await params;
  const file = Object.hasOwn(docsFiles, name) ? docsFiles[name]?.(services().settings) : undefined;
  const headers = { 'X-Content-Type-Options': 'nosniff' };
  if (!file) return new Response('Not found.\n', { status: 404, headers });
  return new Response(file.text, {
    headers: { ...headers, 'Content-Type': file.mediaType, 'Cache-Control': 'private, max-age=300' },
  });
}
