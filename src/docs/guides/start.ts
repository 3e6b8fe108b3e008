import type { DocsPage } from '#components/docs/block.ts';
import type { DocsContext } from '../document.ts';
import { operationSlugs } from '../operation.ts';
import { sampleBlocks } from '../samples.ts';

export function startPage(context: DocsContext): DocsPage {
  const { settings, document, support } = context;
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
        text: `You need a key and a secret from the support team (${support}). Put them into your environment as \`API_KEY\` and \`API_SECRET\`, then:`,
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
