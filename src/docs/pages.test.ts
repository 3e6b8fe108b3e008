import { globSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { marked } from 'marked';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { DocsArticle } from '#components/docs/docs-page.tsx';
import { Markdown } from '#components/docs/markdown.tsx';
import { cardByNumber, cardByTestId, testCard } from '#packages/stripe-sandbox/cards/test-cards.ts';
import { exampleOf } from '#src/api/openapi-responses.ts';
import { addCard } from '#src/api/operations/add-card.ts';
import { cardRefusals, refusalExample, refusalReasons } from '#src/api/operations/card-refusals.ts';
import { operations } from '#src/api/operations/index.ts';
import { type ProblemCode, problems } from '#src/errors.ts';
import { readSettings } from '#src/settings.ts';
import { openApiOf } from './document.ts';
import { parameterErrorEntries } from './errors.ts';
import { escapeMarkdown } from './markdown.ts';
import { type DocsPage, docsPath } from './page.ts';
import { docsPages, findDocsPage, pageDescription, pageMarkdown, pageSource } from './pages.ts';
import { fillPlaceholders, placeholderValues } from './placeholders.ts';

const settings = readSettings({});

const checkout = path.join(import.meta.dirname, '..', '..');
const source = (file: string) => readFile(path.join(checkout, file), 'utf8');
const render = (page: DocsPage) => renderToStaticMarkup(createElement(DocsArticle, { page, neighbors: [] }));

const pages = docsPages(settings);
const html = new Map(pages.map((page) => [docsPath(page.slug), render(page)]));
const anchors = new Map(
  [...html].map(([url, text]) => [url, [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)]),
);

function markdownOf(slug: string): string {
  const page = findDocsPage(settings, slug);
  if (!page) throw new Error(`There is no page ${slug}.`);
  return pageSource(page);
}

describe.each(pages.map((page) => [docsPath(page.slug), page] as const))('%s', (url, page) => {
  it('has no unfilled placeholder and no raw HTML', () => {
    const markdown = pageSource(page);
    expect(markdown).not.toMatch(/\{\{|undefined/);
    const rawHtml: string[] = [];
    marked.walkTokens(marked.lexer(markdown), (token) => {
      if (token.type === 'html') rawHtml.push(token.raw);
    });
    expect(rawHtml).toEqual([]);
  });

  it('renders without inline styles and scripts', () => {
    expect(page.title).not.toBe('');
    expect((html.get(url) ?? '').replaceAll(/<[^>]*>/g, '')).toContain(page.title);
    expect(html.get(url)).not.toMatch(/<script|<style| style=| on[a-z]+=/);
  });

  it('has curl commands that print why there is no response', () => {
    expect(pageSource(page)).not.toMatch(/curl -s(?!S)/);
  });

  it('renders all of its Markdown', () => {
    const text = (html.get(url) ?? '').replaceAll(
      /<pre.*?<\/pre>|<code.*?<\/code>|<textarea.*?<\/textarea>/gs,
      '',
    );
    expect(text).not.toMatch(/\*\*|```|\]\(|^#|^- /m);
  });

  it('has links that resolve', () => {
    const others = [
      ...[
        '/llms.txt',
        '/llms-full.txt',
        '/openapi.json',
        '/openapi.yaml',
        '/openapi-3.0.json',
        '/postman.json',
        '/docs/errors.md',
        '/docs/changelog.atom',
        `${url}.md`,
      ],
      `mailto:${settings.SUPPORT_CONTACT}`,
    ];
    for (const [, href = ''] of (html.get(url) ?? '').matchAll(/ href="([^"]*)"/g)) {
      const [target = '', anchor] = href.startsWith('#') ? [url, href.slice(1)] : href.split('#');
      if (others.includes(target)) continue;
      expect(anchors.has(target), href).toBe(true);
      if (anchor) expect(anchors.get(target), href).toContain(anchor);
    }
  });

  it('has links that work wherever its Markdown version is read, and unchanged code', () => {
    const tokensOf = (text: string) => {
      const links: string[] = [];
      const code: string[] = [];
      marked.walkTokens(marked.lexer(text), (token) => {
        if (token.type === 'link') links.push(token.href);
        if (token.type === 'code') code.push(token.text);
      });
      return { links, code };
    };
    const { links, code } = tokensOf(pageMarkdown(page, 'https://x.example'));
    const source = tokensOf(pageSource(page));
    expect(links).toEqual(source.links.map((href) => new URL(href, `https://x.example${url}`).href));
    expect(code).toEqual(source.code);
  });

  it('has a description of one sentence without markup', () => {
    expect(pageDescription(page)).toMatch(/^[A-Z](?:[^.`*[\]]|\.\w){20,200}\.$/);
  });

  it('has unique anchors', () => {
    const ids = anchors.get(url) ?? [];
    expect(ids.filter((id, position) => ids.indexOf(id) !== position)).toEqual([]);
  });
});

describe('guides', () => {
  it('are the files in docs/guides', () => {
    const files = readdirSync(path.join(checkout, 'docs', 'guides')).map((file) => file.replace('.md', ''));
    const slugs = pages.filter(({ group }) => group !== 'Operations').map(({ slug }) => slug || 'start');
    expect(slugs.sort()).toEqual(files.sort());
  });

  it('are served as their files with the placeholders filled', async () => {
    const values = placeholderValues(settings);
    for (const { slug, group } of pages) {
      if (group === 'Operations') continue;
      const file = await source(`docs/guides/${slug || 'start'}.md`);
      expect(markdownOf(slug)).toBe(fillPlaceholders(file, values));
    }
  });

  it('reject an unknown placeholder', () => {
    for (const text of ['{{unknown}}', '{{ baseUrl }}', '{{constructor}}'])
      expect(() => fillPlaceholders(text, { baseUrl: '' })).toThrow('Unknown placeholder');
  });

  it('show a setting as plain text, whatever characters it has', () => {
    const value = '<b onclick="x">*A*</b> & [b](javascript:alert(1)) `c` | ~~d~~ #e\n\n# f';
    const text = fillPlaceholders('| a {{name}} |\n| --- |\n| b {{name}} |', { name: escapeMarkdown(value) });
    const cell =
      '&lt;b onclick=&quot;x&quot;&gt;*A*&lt;/b&gt; &amp; [b](javascript:alert(1)) `c` | ~~d~~ #e # f';
    const rendered = renderToStaticMarkup(createElement(Markdown, { text }));
    expect(rendered.replaceAll(/<[^>]*>/g, '')).toBe(`a ${cell}b ${cell}`);
  });

  it('have no link that runs a script', () => {
    const rendered = renderToStaticMarkup(createElement(Markdown, { text: '[a](javascript:alert(1))' }));
    expect(rendered).not.toContain('href');
  });
});

describe('errors page', () => {
  const text = markdownOf('errors');
  const ids = anchors.get('/docs/errors') ?? [];

  it('has a row with an anchor and the message for every error and every decline', () => {
    for (const [code, { message }] of Object.entries(problems)) {
      expect(ids).toContain(code);
      expect(text).toContain(`[\`${code}\`](#${code}) | ${message} |`);
    }
    for (const [reason, { code = reason, message }] of Object.entries(cardRefusals)) {
      expect(ids).toContain(`declined-${reason}`);
      expect(text).toContain(`[\`${code}\`](#declined-${reason}) | ${message}`);
    }
  });

  it('has the response for every error and every decline', () => {
    for (const code of Object.keys(problems) as ProblemCode[])
      expect(text).toContain(JSON.stringify(exampleOf(addCard, code)));
    for (const reason of refusalReasons) expect(text).toContain(JSON.stringify(refusalExample(reason)));
  });

  it('has every message that error.details can contain', async () => {
    const files = globSync(['src/api/body.ts', 'src/api/{operations,schemas}/*.ts'], { cwd: checkout });
    const sources = await Promise.all(files.map(source));
    const messages = [...sources.join('\n').matchAll(/'((?:Must|Is) [^']*\.)'/g)].map(
      ([, message]) => message,
    );
    expect(messages.length).toBeGreaterThan(7);
    const known = parameterErrorEntries.map(({ message }) => message);
    expect(messages.filter((message) => !known.includes(message ?? ''))).toEqual([]);
    expect(known.length).toBe(new Set(known).size);
  });
});

describe('operation pages', () => {
  it('name only headers that every response has', () => {
    const { paths } = openApiOf(settings);
    for (const { id, path, method, docs } of operations) {
      const text = markdownOf(docs.slug);
      const sentence = /Every response has ([^.]*)\./.exec(text)?.[1] ?? '';
      const named = [...sentence.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? '');
      expect(named).toContain('X-Request-Id');
      for (const [status, { headers }] of Object.entries(
        paths[path]?.[method.toLowerCase()]?.responses ?? {},
      )) {
        for (const name of named) expect([id, status, headers?.[name]?.required]).toEqual([id, status, true]);
      }
    }
  });

  it('name each type of a field once, and describe what it accepts', () => {
    expect(markdownOf('add-a-card')).toContain(
      '| `expMonth` | string or integer or null | Optional. The expiration month. A month: `1` or `01` to `12`. |',
    );
    expect(markdownOf('add-a-card')).toContain(
      '| `expYear` | string or integer or null | Optional. The expiration year. A year: `31` or `2031`. |',
    );
  });

  it('describe every field of the OpenAPI document', () => {
    const rows = pages.flatMap(({ body }) =>
      body.split(/^## /m).flatMap((section) => {
        const [name] = section.split('\n', 1);
        const fields = section.split('| Field | Type | Description |').slice(1).join('\n');
        return [...fields.matchAll(/^\| (`\w+`) \| .*? \| (.*) \|$/gm)].map(([, field, description]) => ({
          field: `${name} ${field}`,
          description,
        }));
      }),
    );
    // The errors page explains the fields of an error.
    const { ErrorResponse: _error, ...schemas } = openApiOf(settings).components.schemas;
    const fields = Object.entries(schemas).flatMap(([name, schema]) =>
      (schema.oneOf ?? [schema]).flatMap(({ properties = {} }) =>
        Object.keys(properties).map((field) => `${name} \`${field}\``),
      ),
    );
    expect(fields.length).toBeGreaterThan(60);
    expect(new Set(rows.map(({ field }) => field))).toEqual(new Set(fields));
    expect(rows.filter(({ description }) => !description)).toEqual([]);
  });
});

describe('other pages', () => {
  it('show the messages of authentication errors', () => {
    for (const code of [
      'authentication_required',
      'key_unknown',
      'secret_invalid',
      'account_disabled',
    ] as const) {
      const { status, message } = problems[code];
      expect(markdownOf('authentication')).toContain(`| [${status}](/docs/errors#${code}) | ${message} |`);
    }
  });

  it('describe both ways to authenticate, and which one decides', () => {
    const text = markdownOf('authentication');
    expect(text).toContain('`X-AUTH-APISECRET`');
    expect(text).toContain('The dashboard signs people in with the same key and secret');
    expect(text).toContain('the headers take precedence over the session');
  });

  it('list the limits that are in effect', () => {
    const strict = readSettings({ LIMIT_FAILED_AUTH_PER_ADDRESS: '7', LIMIT_DECLINES_PER_HOUR: '8' });
    const text = findDocsPage(strict, 'limits')?.body;
    expect(text).toContain('| Failed authentication attempts per IP address | **7** in 5 minutes |');
    expect(text).toContain('| Declined cards per customer | **8** per hour |');
  });

  it('list test cards with the outcomes that the sandbox gives', () => {
    const reasons: Record<string, string> = {
      generic_decline: 'card_declined',
      lost_card: 'card_declined',
      stolen_card: 'card_declined',
      fraudulent: 'card_declined',
    };
    const rows = [...markdownOf('sandbox').matchAll(/^\| `([\d ]+)` \| `(\w+)` \| (.*) \|$/gm)];
    expect(rows).toHaveLength(22);
    for (const [, spacedNumber = '', token = '', outcome] of rows) {
      const number = spacedNumber.replaceAll(' ', '');
      const name = cardByNumber(number);
      expect([number, cardByTestId(token)]).toEqual([number, name]);
      const card = testCard(name ?? '');
      const reason = (reasons[card.outcome] ?? card.outcome) as keyof typeof cardRefusals;
      const confirms = '[confirm the card](/docs/collect-a-card#3-d-secure)';
      const expected =
        card.outcome === 'succeeds'
          ? `Added. \`brand\` is \`${card.brand}\`.`
          : card.outcome === 'requires_action'
            ? card.declineAfterAction
              ? `The bank wants to ${confirms}, and then [declines](/docs/errors#declined-card_declined) it.`
              : `The bank wants to ${confirms}.`
            : `[Declined](/docs/errors#declined-${reason}) with \`${cardRefusals[reason]?.code ?? reason}\``;
      expect([number, outcome]).toEqual([number, expected]);
    }
  });

  it('say how to trigger every decline', () => {
    for (const reason of refusalReasons)
      expect(markdownOf('sandbox')).toContain(`/docs/errors#declined-${reason})`);
  });

  it('load the release of Stripe.js that the dashboard loads', async () => {
    const [, release] =
      /RELEASE_TRAIN = '(\w+)'/.exec(await source('node_modules/@stripe/stripe-js/dist/pure.js')) ?? [];
    const withKeys = readSettings({ STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_PUBLISHABLE_KEY: 'pk_test_1' });
    expect(findDocsPage(withKeys, 'collect-a-card')?.body).toContain(
      `<script src="https://js.stripe.com/${release}/stripe.js">`,
    );
  });

  it('say that test tokens do not work with live keys', () => {
    const live = { ...settings, mode: 'live' as const };
    expect(findDocsPage(live, 'quickstarts')?.body).toContain('so `tok_visa` doesn’t work here.');
    expect(markdownOf('quickstarts')).not.toContain('doesn’t work here.');
  });

  it('list every version of the changelog', async () => {
    for (const [, version] of (await source('CHANGELOG.md')).matchAll(/^## (\d+\.\d+\.\d+)/gm))
      expect(markdownOf('changelog')).toContain(`## ${version}`);
  });
});
