import { marked } from 'marked';
import type { Settings } from '#src/settings.ts';
import { escapeXml } from '#src/text.ts';
import { headingId } from './page.ts';
import { findDocsPage } from './pages.ts';

/** The versions of the changelog guide, with headings such as `1.0.0, 2026-11-22`, as an Atom feed (RFC 4287). */
export function changelogFeed(settings: Settings): string {
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
