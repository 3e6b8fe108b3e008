import type { DocsPage } from '#components/docs/block.ts';
import { problems } from '#http/problem.ts';
import type { DocsContext } from './document.ts';
import { operationSlugs } from './operation.ts';
import { sampleBlocks } from './samples.ts';

export function authenticationPage({ settings }: DocsContext): DocsPage {
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
        text: `Both come from the support team: ${settings.SUPPORT_CONTACT}. Keep the secret on your server, in its environment or a vault; never in a page, an app or a repository.`,
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
          'Put the new one in place on all your servers. The overview of your account says when a secret was last used.',
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

export function limitsPage({ settings }: DocsContext): DocsPage {
  const minutes = settings.LIMIT_FAILED_AUTH_WINDOW_SECONDS / 60;
  return {
    slug: 'limits',
    group: 'Guides',
    title: 'Limits',
    summary: 'The budgets of this service as it runs now, and how to stay within them.',
    blocks: [
      {
        kind: 'table',
        head: ['What', 'Budget', 'Beyond it'],
        rows: [
          {
            cells: [
              'Requests with one key',
              `**${settings.LIMIT_REQUESTS_PER_MINUTE}** a minute`,
              '[429](/docs/errors#too_many_requests) until the minute is over',
            ],
          },
          {
            cells: [
              'Failed authentications with one key from one address',
              `**${settings.LIMIT_FAILED_AUTH_PER_KEY_AND_ADDRESS}** in ${minutes} minutes`,
              '[429](/docs/errors#too_many_failures); from other addresses the key still works',
            ],
          },
          {
            cells: [
              'Failed authentications from one address',
              `**${settings.LIMIT_FAILED_AUTH_PER_ADDRESS}** in ${minutes} minutes`,
              '[429](/docs/errors#too_many_failures)',
            ],
          },
          {
            cells: [
              'Declined cards of one customer',
              `**${settings.LIMIT_DECLINES_PER_HOUR}** an hour`,
              '[429](/docs/errors#too_many_declines) on adding cards',
            ],
          },
          { cells: ['Body of a request', '**16 KiB**', '[413](/docs/errors#body_too_large)'] },
          { cells: ['Cards on file', '**20**', '[a refusal](/docs/errors#refused-card_limit_reached)'] },
        ],
      },
      { kind: 'heading', id: 'headers', text: 'What is left' },
      {
        kind: 'text',
        text: `Every answer after authentication says so: \`RateLimit-Policy: "requests";q=${settings.LIMIT_REQUESTS_PER_MINUTE};w=60\` is the budget (\`q\` requests in \`w\` seconds), \`RateLimit: "requests";r=594;t=41\` what is left of it (\`r\`) and for how many seconds more (\`t\`). A minute begins with the first request in it. Only requests that pass authentication count, so nobody else can use up your budget.`,
      },
      {
        kind: 'list',
        items: [
          'When `r` is 0, wait `t` seconds. A caller who does this gets no 429.',
          'After a 429, wait `Retry-After` seconds, and spread the retries of many workers.',
          'Reads carry an `ETag`: send it back as `If-None-Match`, and an unchanged answer is a 304 without a body. It counts as a request.',
        ],
      },
    ],
  };
}

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

export function clientPage({ settings }: DocsContext): DocsPage {
  return {
    slug: 'client',
    group: 'Guides',
    title: 'The typed client',
    summary: 'For TypeScript and JavaScript on a server: no dependency, types from the OpenAPI document.',
    blocks: [
      {
        kind: 'text',
        text: 'It is in the folder `client/` of the service’s source. Pack it, then install the file in your project:',
      },
      {
        kind: 'code',
        language: 'text',
        title: 'In a terminal',
        code: 'npm pack ./client\nnpm install ./scheduling-service-client-1.0.0.tgz',
      },
      {
        kind: 'code',
        language: 'js',
        title: 'JavaScript',
        code: [
          "import { ScheduleClient } from 'scheduling-service-client';",
          '',
          'const client = new ScheduleClient({',
          `  baseUrl: '${settings.publicUrl}',`,
          '  apiKey: process.env.API_KEY,',
          '  apiSecret: process.env.API_SECRET,',
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
          'The four operations of API v1: [read the customer](/docs/read-the-customer), [read the payout](/docs/read-the-payout), [add a card](/docs/add-a-card), [remove a card](/docs/remove-a-card).',
        ],
      },
    ],
  };
}

export function startPage(context: DocsContext): DocsPage {
  const { settings, document } = context;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary, operationId }]) => ({
      cells: [`[${summary}](/docs/${operationSlugs[operationId]})`, `\`${method.toUpperCase()} ${path}\``],
    })),
  );
  return {
    slug: '',
    group: 'Start',
    title: `${settings.SERVICE_NAME} API`,
    summary: 'Read your record and what you owe, add and remove payment cards. JSON over HTTP, version 1.',
    blocks: [
      { kind: 'heading', id: 'first-call', text: 'Your first call' },
      {
        kind: 'text',
        text: `You need a key and a secret from the support team (${settings.SUPPORT_CONTACT}). Put them into your environment as \`API_KEY\` and \`API_SECRET\`, then:`,
      },
      ...sampleBlocks({ method: 'GET', url: `${settings.publicUrl}/api/schedule/v1/customers/payout` }),
      { kind: 'code', language: 'json', title: 'Answer', code: examplePayout(context) },
      {
        kind: 'text',
        text: 'Then [add a card](/docs/add-a-card) with a [test token](/docs/sandbox), and look at `status` in the answer: a refused card comes with HTTP 200 too.',
      },
      { kind: 'heading', id: 'operations', text: 'Operations' },
      { kind: 'table', head: ['Operation', 'Address'], rows: operations },
      { kind: 'heading', id: 'conventions', text: 'What holds everywhere' },
      {
        kind: 'list',
        items: [
          'Requests and answers are JSON in UTF-8. Ignore fields that you do not know.',
          'Money is US dollars. Calculate with fields that end in `_cents`; they are integers.',
          'Times are ISO 8601 with a numeric offset, such as `2026-11-20T23:45:00+00:00`.',
          'Every answer has an `X-Request-Id`, your own where you send one of 8 to 64 characters. Name it when you ask for help.',
          '`HEAD` works where `GET` does; `OPTIONS` says what is allowed. A slash at the end makes a path another one, which is not there.',
          '`Server-Timing` says how many milliseconds the service spent on your request.',
        ],
      },
      { kind: 'heading', id: 'machines', text: 'For programs' },
      {
        kind: 'list',
        items: [
          'The OpenAPI 3.1 document: [JSON](/openapi.json), [YAML](/openapi.yaml).',
          'Each page as Markdown: put `.md` behind its address, such as [/docs/errors.md](/docs/errors.md). All of them: [/llms.txt](/llms.txt).',
          'The [typed client](/docs/client).',
        ],
      },
    ],
  };
}

function examplePayout({ document }: DocsContext): string {
  const answer = document.paths['/api/schedule/v1/customers/payout']?.get?.responses['200'];
  return JSON.stringify(answer?.content?.['application/json'].examples?.payout?.value, null, 2);
}
