import type { DocsPage } from '#components/docs/block.ts';

export function changelogPage(): DocsPage {
  return {
    slug: 'changelog',
    group: 'Guides',
    title: 'Changelog',
    summary: 'What changed in the API, the newest first.',
    blocks: [
      { kind: 'heading', id: '1.0.0', text: '1.0.0' },
      {
        kind: 'list',
        items: [
          'The four operations of API v1: [read the customer](/docs/get-the-customer), [read the payout](/docs/get-the-payout), [add a card](/docs/add-a-card), [remove a card](/docs/remove-a-card).',
        ],
      },
    ],
  };
}
