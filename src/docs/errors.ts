import type { Block, DocsPage, Row } from '#components/docs/block.ts';
import { recordedProblems } from '#src/api/openapi-responses.ts';
import { cardRefusals } from '#src/api/operations/card-refusals.ts';
import { type ProblemCode, problems } from '#src/api/problems.ts';
import examples from '#src/api/recorded/responses.json' with { type: 'json' };
import { detailEntries, problemEntries, refusalEntries } from './error-entries.ts';

/** The error catalogue, made from the table that the service answers by. */
export function errorsPage(): DocsPage {
  return {
    slug: 'errors',
    group: 'Guides',
    title: 'Errors',
    summary: 'Every message of the API: what happened, and what to do.',
    blocks: [
      {
        kind: 'text',
        text: '4xx means that the request has to change or wait, or that the card-payment provider failed (424). 5xx is a fault of the service. The body is always JSON; `error.code` is the HTTP status. A 400 may name the parameters at fault in `error.details`. Go by the status; show `error.message` to your developers, not to your customers.',
      },
      example('An invalid request', recordedProblems.invalid_input),
      ...statusBlocks(),
      { kind: 'heading', id: 'details', text: 'In error.details' },
      {
        kind: 'table',
        head: ['Message', 'What it means'],
        rows: detailEntries.map(({ message, happened }) => ({ cells: [message, happened] })),
      },
      { kind: 'heading', id: 'refused-cards', text: 'Refused cards' },
      {
        kind: 'text',
        text: 'A refused card is no error: the answer is HTTP 200 with `"status": false`, a `code` for your program and a `message` for the person whose card it is. Check `status` before you read `card`.',
      },
      example('A refused card', examples.refusals.card_declined),
      {
        kind: 'table',
        isEven: true,
        head: ['Code', 'Message', 'What happened', 'What to do'],
        rows: refusalRows(),
      },
      {
        kind: 'code',
        language: 'json',
        title: 'Refused cards, as recorded',
        code: lines(examples.refusals),
        isFolded: true,
      },
      { kind: 'heading', id: 'retries', text: 'What to retry' },
      {
        kind: 'list',
        items: [
          '408, 409, 424, 429, 500 and 503, and no answer at all: again after `Retry-After`, with the same `Idempotency-Key` and the same token.',
          'Everything else: not before something changed.',
          'The [client](/docs/client) does this by itself.',
        ],
      },
    ],
  };
}

function statusBlocks(): Block[] {
  const codes = Object.keys(problems) as ProblemCode[];
  const statuses = [...new Set(codes.map((code) => problems[code].status))];
  return statuses.flatMap((status): Block[] => [
    { kind: 'heading', id: `status-${status}`, text: `${status}` },
    {
      kind: 'table',
      isEven: true,
      head: ['Message', 'What happened', 'What to do'],
      rows: problemRows(codes.filter((code) => problems[code].status === status)),
    },
    {
      kind: 'code',
      language: 'json',
      title: `${status}, as recorded`,
      code: recordedAt(status),
      isFolded: true,
    },
  ]);
}

/** One line for each recorded answer of a status. */
function recordedAt(status: number): string {
  return lines(Object.values(recordedProblems).filter(({ error }) => error.code === status));
}

function lines(bodies: object): string {
  return Object.values(bodies)
    .map((body) => JSON.stringify(body))
    .join('\n');
}

function problemRows(codes: ProblemCode[]): Row[] {
  return codes.map((code) => ({
    id: code,
    cells: [`**${problems[code].message}**`, problemEntries[code].happened, problemEntries[code].remedy],
  }));
}

function refusalRows() {
  return (Object.keys(cardRefusals) as (keyof typeof cardRefusals)[]).map((failure) => ({
    id: `refused-${failure}`,
    cells: [
      `\`${cardRefusals[failure].code}\``,
      cardRefusals[failure].message,
      refusalEntries[failure].happened,
      refusalEntries[failure].remedy,
    ],
  }));
}

function example(title: string, value: unknown): Block {
  return { kind: 'code', language: 'json', title, code: JSON.stringify(value, null, 2) };
}
