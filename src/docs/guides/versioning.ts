import type { DocsPage } from '#components/docs/block.ts';

export function versioningPage(): DocsPage {
  return {
    slug: 'versioning',
    group: 'Guides',
    title: 'Versions',
    summary: 'What can change under you, what cannot, and how long in advance you are told.',
    blocks: [
      { kind: 'text', text: 'The version is in the path: `v1`. Nothing in it is deprecated today.' },
      { kind: 'heading', id: 'additions', text: 'Can come at any time' },
      {
        kind: 'list',
        items: [
          'New operations, new optional parameters and headers, new fields in answers: ignore what you do not know.',
          'New `code` values of refused cards: treat one you do not know like `card_declined`.',
          'Other words in a `message`: go by status and `code`.',
        ],
      },
      { kind: 'heading', id: 'breaking', text: 'Only with a new version' },
      {
        kind: 'list',
        items: [
          'Taking away or renaming an operation, a field, a parameter or a `code`; another type or unit; a new required parameter; another status for the same case.',
          'The new version then lives beside `v1`, under its own path.',
        ],
      },
      { kind: 'heading', id: 'deprecation', text: 'Before anything ends' },
      {
        kind: 'list',
        items: [
          'Its answers carry `Deprecation: @<seconds since 1970>` (RFC 9745), the moment from which it is deprecated, and `Link: <…>; rel="deprecation"`, the page that says what to use instead.',
          'Once its end is set they carry `Sunset: <HTTP date>` (RFC 8594): never less than 12 months after `Deprecation`.',
          'The [changelog](/docs/changelog) and a message to the e-mail address of your account say the same.',
          'After the end it answers 410, never something else.',
        ],
      },
      {
        kind: 'text',
        text: 'Let your program log answers that carry either header, and you will not miss it.',
      },
    ],
  };
}
