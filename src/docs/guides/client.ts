import type { DocsPage } from '#components/docs/block.ts';
import type { DocsContext } from '../document.ts';

export function clientPage({ settings }: DocsContext): DocsPage {
  return {
    slug: 'client',
    group: 'Guides',
    title: 'The typed client',
    summary: 'For TypeScript and JavaScript on a server: no dependency, types from the OpenAPI document.',
    blocks: [
      {
        kind: 'text',
        text: 'It is in the folder `packages/client` of the service’s source. Pack it into the folder of your program, and install it there:',
      },
      {
        kind: 'code',
        language: 'text',
        title: 'In a terminal',
        code: [
          'mkdir -p ../my-program',
          'npm pack ./packages/client --pack-destination ../my-program',
          'cd ../my-program',
          'npm install ./scheduling-service-client-1.0.0.tgz',
        ].join('\n'),
      },
      {
        kind: 'code',
        language: 'js',
        title: 'JavaScript or TypeScript, in an ES module such as add-card.mjs',
        code: [
          "import { ScheduleClient } from 'scheduling-service-client';",
          '',
          'const client = new ScheduleClient({',
          `  baseUrl: '${settings.publicUrl}',`,
          "  apiKey: process.env.API_KEY ?? '',",
          "  apiSecret: process.env.API_SECRET ?? '',",
          '});',
          '',
          "const result = await client.addCard({ token: 'tok_visa_chargeDeclined', card: {} });",
          'if (result.added) console.log(result.card.uuid);',
          'else console.log(JSON.stringify(result));',
        ].join('\n'),
      },
      {
        kind: 'code',
        language: 'json',
        title: 'Prints',
        code: JSON.stringify(
          {
            added: false,
            code: 'card_declined',
            message: 'Your bank declined this card. Try another card, or call the number on the back of it.',
          },
          null,
          2,
        ),
      },
      {
        kind: 'list',
        items: [
          'A refused card is a result of its own: TypeScript does not give you `card` before you looked at `added`.',
          'Retries after 408, 409, 424, 429, 5xx, broken connections and time-outs, never sooner than `Retry-After`, with the same `Idempotency-Key`.',
          'Everything else is a `ScheduleError` with `status`, `message`, `details` and `requestId`.',
        ],
      },
    ],
  };
}
