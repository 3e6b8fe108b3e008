import type { DocsPage } from '#components/docs/block.ts';
import type { DocsContext } from '../document.ts';

/** `100,000`. */
const figure = (count: number) => count.toLocaleString('en-US');

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
              `**${figure(settings.LIMIT_REQUESTS_PER_MINUTE)}** a minute`,
              '[429](/docs/errors#too_many_requests) until the minute is over',
            ],
          },
          {
            cells: [
              'Failed authentications with one key from one address',
              `**${figure(settings.LIMIT_FAILED_AUTH_PER_KEY_AND_ADDRESS)}** in ${minutes} minutes`,
              '[429](/docs/errors#too_many_failures); from other addresses the key still works',
            ],
          },
          {
            cells: [
              'Failed authentications from one address',
              `**${figure(settings.LIMIT_FAILED_AUTH_PER_ADDRESS)}** in ${minutes} minutes`,
              '[429](/docs/errors#too_many_failures)',
            ],
          },
          {
            cells: [
              'Declined cards of one customer',
              `**${figure(settings.LIMIT_DECLINES_PER_HOUR)}** an hour`,
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
