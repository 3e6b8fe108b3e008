import type { Operation } from '#src/api/operation.ts';
import { operations } from '#src/api/operations/index.ts';
import { pathsOf } from '#src/api/router.ts';
import type { Settings } from '#src/settings.ts';
import { type ApiDocument, type OperationObject, openApiOf } from './document.ts';
import { codeBlock, jsonBlock, table } from './markdown.ts';
import type { ConsoleOperation, DocsPage } from './page.ts';
import { codeSamples, pathVariables } from './samples.ts';
import { schemaSections } from './schema-tables.ts';

/** A page for each operation. */
export function operationPages(settings: Settings): DocsPage[] {
  const document = openApiOf(settings);
  return operations.map((operation) => {
    const spec = document.paths[operation.path]?.[operation.method.toLowerCase()];
    if (!spec) throw new Error(`The OpenAPI document has no operation ${operation.id}.`);
    return {
      slug: operation.docs.slug,
      group: 'Operations',
      title: operation.summary,
      summary: operation.description,
      body: operationMarkdown(operation, spec, document, settings.publicUrl),
      operation: consoleOperation(operation, spec),
    };
  });
}

export function operationsTable(): string {
  const rows = operations.map(({ summary, docs, method, path }) => [
    `[${summary}](/docs/${docs.slug})`,
    `\`${method} ${path}\``,
  ]);
  return table(['Operation', 'Endpoint'], rows);
}

function operationMarkdown(
  operation: Operation,
  spec: OperationObject,
  document: ApiDocument,
  baseUrl: string,
): string {
  const { method, path, response: success } = operation;
  const request = spec.requestBody?.content['application/json'].schema;
  const response = spec.responses[success.status]?.content?.['application/json'].schema;
  return [
    codeBlock({ language: 'text', title: 'Endpoint', code: `${method} ${path}` }),
    `Also available at ${otherPaths(path).join(' and ')}, with identical responses.`,
    '## Code samples',
    samplesNote(path),
    codeSamples(operation, baseUrl),
    ...Object.values(success.examples ?? {}).map(({ summary, value }) =>
      jsonBlock(`Response: ${summary.toLowerCase()}`, value),
    ),
    '## Parameters',
    parameterTable(spec),
    ...(request ? schemaSections(request, document, true) : []),
    '## Responses',
    'Every response has `X-Request-Id` and `Cache-Control`. It also has `Server-Timing`, unless the request was rejected before it reached the operation (such as 405, 408, or 431).',
    responseTable(spec),
    ...(response ? schemaSections(response, document, false) : []),
  ].join('\n\n');
}

function consoleOperation(operation: Operation, { parameters }: OperationObject): ConsoleOperation {
  const { sample } = operation.docs;
  return {
    id: operation.id,
    method: operation.method,
    path: operation.path,
    parameters: parameters.flatMap(({ name, in: location, required = false }) =>
      location === 'path' || location === 'query' ? [{ name, location, required }] : [],
    ),
    ...(sample?.body !== undefined && { body: JSON.stringify(sample.body, null, 2) }),
  };
}

function samplesNote(path: string): string {
  const variables = ['API_KEY', 'API_SECRET', ...Object.values(pathVariables(path))];
  const list = new Intl.ListFormat('en-US').format(variables.map((name) => `\`${name}\``));
  return `Set ${list} as environment variables. The samples don’t contain your secret.`;
}

function otherPaths(path: string): string[] {
  return pathsOf(path)
    .filter((other) => other !== path)
    .map((other) => `\`${other}\``);
}

function parameterTable({ parameters, requestBody }: OperationObject): string {
  const common = [
    ['X-AUTH-APIKEY', 'Your API key. See [Authentication](/docs/authentication).'],
    ['X-AUTH-APISECRET', 'Your API secret.'],
    ...(requestBody ? [['Content-Type', '`application/json`.']] : []),
  ].map(([name = '', description = '']) => ({ name, in: 'header', required: true, description }));
  const rows = [...common, ...parameters].map(({ name, in: location, required, description = '' }) => [
    `\`${name}\``,
    location,
    required ? `**Required.** ${description}` : description,
  ]);
  return table(['Parameter', 'In', 'Description'], rows);
}

/** Headers that the page mentions once instead of with every status. */
const commonHeaders = ['X-Request-Id', 'Cache-Control', 'Server-Timing'];

function responseTable({ responses }: OperationObject): string {
  const rows = Object.entries(responses).map(([status, { description, headers = {} }]) => [
    Number(status) >= 400 ? `[${status}](/docs/errors#status-${status})` : `**${status}**`,
    description,
    Object.keys(headers)
      .filter((name) => !commonHeaders.includes(name))
      .map((name) => `\`${name}\``)
      .join(', '),
  ]);
  return table(['Status', 'When', 'Other headers'], rows);
}
