import { docsAddress } from '#components/docs/block.ts';
import { docsPages } from '#src/docs/pages.ts';
import { settings } from '#src/settings.ts';

export const dynamic = 'force-dynamic';

/** Where a program that reads finds everything, in the form of https://llmstxt.org. */
export async function GET(): Promise<Response> {
  const { SERVICE_NAME, publicUrl } = settings();
  const pages = docsPages();
  const groups = [...new Set(pages.map(({ group }) => group))].map((group) => {
    const lines = pages
      .filter((page) => page.group === group)
      .map(({ slug, title, summary }) => `- [${title}](${publicUrl}${docsAddress(slug)}.md): ${summary}`);
    return `## ${group}\n\n${lines.join('\n')}`;
  });
  const text = [
    `# ${SERVICE_NAME} API`,
    '> A REST API for the customers of a scheduling-and-delivery service: read the record, read what is owed at the end of the month, add and remove payment cards.',
    'Every request carries the headers `X-AUTH-APIKEY` and `X-AUTH-APISECRET`. A refused card is answered with HTTP 200 and `"status": false`: check it.',
    ...groups,
    `## OpenAPI\n\n- [YAML](${publicUrl}/openapi.yaml)\n- [JSON](${publicUrl}/openapi.json)`,
  ].join('\n\n');
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'public, max-age=300' };
  return new Response(`${text}\n`, { headers: { ...headers, 'X-Content-Type-Options': 'nosniff' } });
}
