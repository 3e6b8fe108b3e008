import type { DocsPage } from '#components/docs/block.ts';
import type { DocsContext } from '../document.ts';

export function idempotencyPage({ settings }: DocsContext): DocsPage {
  return {
    slug: 'idempotency',
    group: 'Guides',
    title: 'Idempotency',
    summary: 'How to repeat a request without doing the thing twice.',
    blocks: [
      {
        kind: 'text',
        text: 'A request whose answer got lost may have been done. Send an `Idempotency-Key` with every POST and DELETE, and repeat the request with the same key: you get the first answer, and nothing is done again.',
      },
      {
        kind: 'list',
        items: [
          'A key is 1 to 255 printable ASCII characters: a UUID, or an id of your own system such as `order-71-card`.',
          'It counts for 24 hours, for you alone, and only for the same operation, the same card and the same body, byte for byte. Anything else with it is [422](/docs/errors#idempotency_mismatch).',
          'A repeated answer is the first one byte for byte, with `Idempotent-Replayed: true`. It may show a card that was removed since.',
          'Kept are outcomes that a retry cannot change, refused cards and 4xx of the operation among them. After 409, 424, 429 and 5xx the same key tries again.',
          'While the first request runs, a second one with its key is [409](/docs/errors#idempotency_in_flight): wait `Retry-After` seconds.',
          'Authentication and limits come first, also for a repeated answer.',
        ],
      },
      {
        kind: 'code',
        language: 'sh',
        title: 'curl, twice with one key: one card',
        code: [1, 2]
          .map(() =>
            [
              `curl -s "${settings.publicUrl}/api/schedule/v1/payment/cards" -o /dev/null -w '%{http_code} %header{idempotent-replayed}\\n'`,
              '  -H "X-AUTH-APIKEY: $API_KEY"',
              '  -H "X-AUTH-APISECRET: $API_SECRET"',
              "  -H 'Content-Type: application/json'",
              "  -H 'Idempotency-Key: order-71-card'",
              `  -d '{"token": "tok_mastercard", "card": {}}'`,
            ].join(' \\\n'),
          )
          .join('\n'),
      },
      { kind: 'code', language: 'text', title: 'Prints', code: '200 \n200 true' },
      { kind: 'heading', id: 'tokens', text: 'Without a key' },
      {
        kind: 'text',
        text: 'A token of the card-payment provider is a key of its own: posted again by the same customer it gives the first outcome and makes no second card. Removing a card again is [404](/docs/errors#card_not_found), which means that it is gone.',
      },
    ],
  };
}
