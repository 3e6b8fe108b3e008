import type { Block, DocsPage } from '#components/docs/block.ts';
import type { JsonSchema } from '#src/api/json-schema.ts';
import { operations } from '#src/api/operations/index.ts';
import type { ApiDocument, DocsContext, Operation } from './document.ts';
import { fieldRows, innerObjects, resolved } from './fields.ts';
import { sampleBlocks } from './samples.ts';

const body = '{"token": "tok_visa", "card": {"addressCountry": "US", "addressZip": "94103"}}';

/** Where the page of an operation is, by its id in the document. */
export const operationSlugs: Record<string, string> = Object.fromEntries(
  operations.map(({ id, docs }) => [id, docs.slug]),
);

/** Told once for all answers. What is refused before it reaches the operation is not timed. */
const everywhere = ['X-Request-Id', 'Cache-Control', 'Server-Timing'];

const everywhereNote =
  'Every answer has `X-Request-Id` and `Cache-Control`. What the operation answers has `Server-Timing` too; a request refused before that, as with 405, 408 or 431, was not timed.';

/** A page for each operation of the document. */
export function operationPages({ document, settings }: DocsContext): DocsPage[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const at = { path, method: method.toUpperCase(), url: settings.publicUrl + path };
      return {
        slug: operationSlugs[operation.operationId] ?? operation.operationId,
        group: 'Operations' as const,
        title: operation.summary,
        summary: operation.description,
        blocks: operationBlocks(operation, at, document),
      };
    }),
  );
}

type At = { path: string; method: string; url: string };

function operationBlocks(operation: Operation, at: At, document: ApiDocument): Block[] {
  const request = operation.requestBody?.content['application/json'].schema;
  const call = {
    method: at.method,
    url: at.url.replace('{uuid}', 'CARD_UUID'),
    ...(request && { body }),
  };
  return [
    { kind: 'code', language: 'text', title: 'Address', code: `${at.method} ${at.path}` },
    { kind: 'text', text: prefixes(at.path) },
    { kind: 'heading', id: 'try', text: 'Lines to run' },
    { kind: 'text', text: linesNote(at.path) },
    ...sampleBlocks(call),
    ...exampleBlocks(operation),
    { kind: 'console', operation: consoleOf(operation, at) },
    { kind: 'heading', id: 'request', text: 'Request' },
    {
      kind: 'table',
      isLastWide: true,
      head: ['Parameter', 'In', 'What it is'],
      rows: parameterRows(operation),
    },
    ...(request ? schemaBlocks(request, document, true) : []),
    { kind: 'heading', id: 'answers', text: 'Answers' },
    { kind: 'text', text: everywhereNote },
    { kind: 'table', head: ['Status', 'When', 'Other headers'], rows: answerRows(operation) },
    ...schemaBlocks(successSchema(operation), document, false),
  ];
}

function consoleOf(operation: Operation, { method, path }: At) {
  const isPost = operation.requestBody !== undefined;
  return {
    id: operation.operationId,
    method,
    path,
    ...(isPost && { body: JSON.stringify(JSON.parse(body), null, 2) }),
    ...(path.includes('{') && { parameter: 'uuid' }),
  };
}

function linesNote(path: string): string {
  const card = path.includes('{uuid}')
    ? ', and `CARD_UUID` is the `uuid` that [adding a card](/docs/add-a-card) gave you'
    : '';
  return `\`API_KEY\` and \`API_SECRET\` are variables of your environment${card}. None of these lines contains a secret.`;
}

function prefixes(path: string): string {
  const rest = path.replace(/^\/(api\/)?schedule\/v1/, '');
  const all = ['/api/schedule/v1', '/schedule/v1', '/api/v1'].map((prefix) => prefix + rest);
  const others = all.filter((other) => other !== path).map((other) => `\`${other}\``);
  return `Also answered, in the same way, at ${others.join(' and ')}.`;
}

function successSchema(operation: Operation): JsonSchema {
  return operation.responses['200']?.content?.['application/json'].schema ?? {};
}

function exampleBlocks(operation: Operation): Block[] {
  const examples = operation.responses['200']?.content?.['application/json'].examples ?? {};
  return Object.values(examples).map(({ summary, value }) => ({
    kind: 'code',
    language: 'json',
    title: `Answer: ${summary.toLowerCase()}`,
    code: JSON.stringify(value, null, 2),
  }));
}

function parameterRows(operation: Operation) {
  const authentication = [
    {
      name: 'X-AUTH-APIKEY',
      in: 'header',
      description: 'Your key. See [authentication](/docs/authentication).',
    },
    { name: 'X-AUTH-APISECRET', in: 'header', description: 'Your secret.' },
  ];
  const contentType = { name: 'Content-Type', in: 'header', description: '`application/json`.' };
  const always = [...authentication, ...(operation.requestBody ? [contentType] : [])];
  return [...always.map((row) => ({ ...row, required: true })), ...operation.parameters].map(
    ({ name, in: place, description = '', required }) => ({
      cells: [`\`${name}\``, place, `${required ? '**Required.** ' : ''}${description}`],
    }),
  );
}

function answerRows(operation: Operation) {
  return Object.entries(operation.responses).map(([status, { description, headers = {} }]) => ({
    id: `status-${status}`,
    cells: [
      Number(status) >= 400 ? `[${status}](/docs/errors#status-${status})` : `**${status}**`,
      description,
      Object.keys(headers)
        .filter((name) => !everywhere.includes(name))
        .map((name) => `\`${name}\``)
        .join(', '),
    ],
  }));
}

/** A table for the schema, then one for each object in it. */
function schemaBlocks(schema: JsonSchema, document: ApiDocument, isRequest: boolean): Block[] {
  return innerObjects(schema, document).flatMap((name): Block[] => {
    const object = resolved({ $ref: `#/${name}` }, document);
    const head = ['Field', 'Type', 'What it is'];
    const described: Block[] = object.description ? [{ kind: 'text', text: object.description }] : [];
    const variants = object.oneOf ?? [object];
    return [
      { kind: 'heading', id: name, text: name },
      ...described,
      ...variants.map(
        (variant): Block => ({
          kind: 'table',
          isLastWide: true,
          head,
          rows: fieldRows(variant, document, isRequest),
        }),
      ),
    ];
  });
}
