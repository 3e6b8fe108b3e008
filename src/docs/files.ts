import { marked } from 'marked';
import { stringify } from 'yaml';
import { openApi30 } from '#src/api/openapi-30.ts';
import type { Settings } from '#src/settings.ts';
import { escapeXml } from '#src/text.ts';
import { openApiOf } from './document.ts';
import { escapeMarkdown } from './markdown.ts';
import { docsPath, headingId } from './page.ts';
import { docsPages, findDocsPage, pageDescription, pageMarkdown } from './pages.ts';
import { postmanCollection } from './postman.ts';
import { searchIndex } from './search-index.ts';

type DocsFile = { mediaType: string; text: string };

const json = (value: object): DocsFile => ({ mediaType: 'application/json', text: JSON.stringify(value) });
const plain = (text: string): DocsFile => ({ mediaType: 'text/plain; charset=utf-8', text });

/** By name. They follow the settings of the running service. */
const files: Record<string, (settings: Settings) => DocsFile> = {
  'openapi.json': (settings) => json(openApiOf(settings)),
  /** For tools that don't read OpenAPI 3.1. */
  'openapi-3.0.json': (settings) => json(openApi30(openApiOf(settings))),
  'openapi.yaml': (settings) => ({
    mediaType: 'application/yaml; charset=utf-8',
    text: stringify(openApiOf(settings), { aliasDuplicateObjects: false }),
  }),
  /** Bruno imports it too. */
  'postman.json': (settings) => json(postmanCollection(settings)),
  'search.json': (settings) => json(searchIndex(settings)),
  'changelog.atom': (settings) => ({
    mediaType: 'application/atom+xml; charset=utf-8',
    text: changelogFeed(settings),
  }),
  'llms.txt': (settings) => plain(pageList(settings)),
  'llms-full.txt': (settings) =>
    plain(
      docsPages(settings)
        .map((page) => pageMarkdown(page, settings.publicUrl))
        .join('\n'),
    ),
};

const filesByName = new Map<string, DocsFile>();

/** Outside production, edits to the guides show immediately. */
function cachedFile(settings: Settings, name: string): DocsFile | undefined {
  const make = Object.hasOwn(files, name) ? files[name] : undefined;
  if (!make || process.env.NODE_ENV !== 'production') return make?.(settings);
  const file = filesByName.get(name) ?? make(settings);
  filesByName.set(name, file);
  return file;
}

/** A file about the API for programs, or the Markdown version of a page, `index.md` for the start page. */
export function findDocsFile(settings: Settings, name: string): DocsFile | undefined {
  if (!name.endsWith('.md')) return cachedFile(settings, name);
  const page = findDocsPage(settings, name === 'index.md' ? '' : name.slice(0, -'.md'.length));
  return page && { mediaType: 'text/markdown; charset=utf-8', text: pageMarkdown(page, settings.publicUrl) };
}

/** The pages for language models, in the format of https://llmstxt.org. */
function pageList(settings: Settings): string {
  const { SERVICE_NAME, publicUrl } = settings;
  const groups = Map.groupBy(docsPages(settings), ({ group }) => group);
  const sections = [...groups].map(([group, pages]) => {
    const lines = pages.map((page) => {
      const url = `${publicUrl}${docsPath(page.slug)}.md`;
      return `- [${escapeMarkdown(page.title)}](${url}): ${pageDescription(page)}`;
    });
    return `## ${group}\n\n${lines.join('\n')}`;
  });
  const text = [
    `# ${escapeMarkdown(SERVICE_NAME)} API`,
    '> A REST API for customers of a scheduling-and-delivery service. Get your account, get your payout (the balance you owe at the end of the month), and add and remove payment cards.',
    'Send the headers `X-AUTH-APIKEY` and `X-AUTH-APISECRET` with every request. Check `status` when you add a card, because a declined card returns HTTP 200 with `"status": false`.',
    ...sections,
    `## OpenAPI\n\n- [YAML](${publicUrl}/openapi.yaml)\n- [JSON](${publicUrl}/openapi.json)\n- [JSON in version 3.0](${publicUrl}/openapi-3.0.json)\n- [Collection for Postman and Bruno](${publicUrl}/postman.json)`,
  ].join('\n\n');
  return `${text}\n`;
}

/** The versions of the changelog guide, with headings such as `1.0.0, 2026-11-22`, as an Atom feed (RFC 4287). */
function changelogFeed(settings: Settings): string {
  const { SERVICE_NAME, publicUrl } = settings;
  const url = `${publicUrl}/docs/changelog`;
  const sections = `\n${findDocsPage(settings, 'changelog')?.body}`.split('\n## ').slice(1);
  const entries = sections.map((section) => {
    const [heading = '', ...lines] = section.split('\n');
    const text = lines.join('\n').replaceAll('](/', `](${publicUrl}/`);
    const html = marked.parse(text, { async: false });
    return { heading, date: `${heading.split(', ').at(-1)}T00:00:00Z`, html };
  });
  const title = escapeXml(`${SERVICE_NAME} API changelog`);
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `<id>${url}</id><title>${title}</title><updated>${entries[0]?.date}</updated>`,
    `<author><name>${escapeXml(SERVICE_NAME)}</name></author>`,
    `<link href="${url}"/><link rel="self" href="${url}.atom"/>`,
    ...entries.map(({ heading, date, html }) => {
      const link = `${url}#${headingId(heading)}`;
      return `<entry><id>${link}</id><title>${escapeXml(heading)}</title><updated>${date}</updated><link href="${link}"/><content type="html">${escapeXml(html)}</content></entry>`;
    }),
    '</feed>\n',
  ].join('\n');
}
