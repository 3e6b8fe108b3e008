import type { DocsPage } from '#components/docs/block.ts';
import { problems } from '#src/api/problems.ts';
import type { DocsContext } from '../document.ts';

export function authenticationPage({ support }: DocsContext): DocsPage {
  return {
    slug: 'authentication',
    group: 'Guides',
    title: 'Authentication',
    summary: 'Two headers on every request: a key that says who you are, and a secret that proves it.',
    blocks: [
      {
        kind: 'table',
        head: ['Header', 'Value'],
        rows: [
          { cells: ['`X-AUTH-APIKEY`', 'Your key, `key_live_…` or `key_test_…`. It is not a secret.'] },
          {
            cells: [
              '`X-AUTH-APISECRET`',
              'Your secret, `secret_live_…` or `secret_test_…`. It was shown once, when it was issued.',
            ],
          },
        ],
      },
      {
        kind: 'text',
        text: `Both come from the support team: ${support}. Keep the secret on your server, in its environment or a vault; never in a page, an app or a repository.`,
      },
      { kind: 'heading', id: 'refused', text: 'When it is refused' },
      {
        kind: 'table',
        head: ['Case', 'Status', 'Message'],
        rows: [
          ['Either header missing or empty', 'authentication_required'] as const,
          ['Key not known', 'key_unknown'] as const,
          ['Secret wrong, revoked or expired', 'secret_invalid'] as const,
          ['Right pair, account not active', 'account_disabled'] as const,
        ].map(([when, code]) => ({
          cells: [when, `[${problems[code].status}](/docs/errors#${code})`, problems[code].message],
        })),
      },
      { kind: 'heading', id: 'rotation', text: 'Replacing a secret' },
      {
        kind: 'list',
        items: [
          'The support team issues a second secret beside the first; for a day, unless you agree on something else, both work.',
          'Put the new one in place on all your servers. The page “API access” of your account says when a secret was last used.',
          'The old one ends by itself. A secret that leaked can be revoked at once: it is refused from the next request on.',
        ],
      },
      { kind: 'heading', id: 'browser', text: 'From a browser' },
      {
        kind: 'text',
        text: 'Other sites’ pages cannot call this API: there are no CORS headers, on purpose, as a page cannot keep a secret. A person signs in to the dashboard with the same pair; that session works for the dashboard’s own requests only. Where either header is present, the headers decide.',
      },
    ],
  };
}
