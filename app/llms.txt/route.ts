import { services } from '#src/api/services.ts';
import { escapeMarkdown } from '#src/docs/markdown.ts';
import { docsPath } from '#src/docs/page.ts';
import { docsPages, pageDescription } from '#src/docs/pages.ts';

export const dynamic = 'force-dynamic';

/** The API docs for language models, in the format of https://llmstxt.org. */
export async function GET(): Promise<Response> {
  const { SERVICE_NAME, publicUrl } = services().settings;
  const pages = docsPages(services().settings);
  const groups = [...new Set(pages.map(({ group }) => group))].map((group) => {
    const lines = pages
      .filter((page) => page.group === group)
      .map(
        (page) =>
          `- [${escapeMarkdown(page.title)}](${publicUrl}${docsPath(page.slug)}.md): ${pageDescription(page)}`,
      );
    return `## ${group}\n\n${lines.join('\n')}`;
  });
  const text = [
    `# ${escapeMarkdown(SERVICE_NAME)} API`,
    '> A REST API for customers of a scheduling-and-delivery service. Get your account, get your payout (the balance you owe at the end of the month), and add and remove payment cards.',
    'Send the headers `X-AUTH-APIKEY` and `X-AUTH-APISECRET` with every request. Check `status` when you add a card, because a declined card returns HTTP 200 with `"status": false`.',
    ...groups,
    `## OpenAPI\n\n- [YAML](${publicUrl}/openapi.yaml)\n- [JSON](${publicUrl}/openapi.json)\n- [JSON in version 3.0](${publicUrl}/openapi-3.0.json)\n- [Collection for Postman and Bruno](${publicUrl}/postman.json)`,
  ].join('\n\n');
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'private, max-age=300' };
  return new Response(`${text}\n`, { headers: { ...headers, 'X-Content-Type-Options': 'nosniff' } });
}
