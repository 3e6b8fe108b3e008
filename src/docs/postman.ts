import { isRead, type Operation } from '#src/api/operation.ts';
import { addCard } from '#src/api/operations/add-card.ts';
import { operations } from '#src/api/operations/index.ts';
import type { Settings } from '#src/settings.ts';
import { pathVariables } from './samples.ts';

/** In the format of https://schema.postman.com/collection/json/v2.1.0/draft-07/docs/index.html. */
export function postmanCollection({ SERVICE_NAME, publicUrl }: Settings) {
  const pathNames = operations.flatMap(({ path }) => Object.values(pathVariables(path)));
  const variables = ['BASE_URL', 'API_KEY', 'API_SECRET', ...new Set(pathNames)];
  return {
    info: {
      name: `${SERVICE_NAME} API`,
      description: `Set the variables \`API_KEY\` and \`API_SECRET\`. Docs: ${publicUrl}/docs`,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    variable: variables.map((key) => ({ key, value: key === 'BASE_URL' ? publicUrl : '' })),
    item: operations.map(item),
  };
}

const reference = (variable: string) => `{{${variable}}}`;

function item(operation: Operation) {
  const { method, path, summary, description, docs } = operation;
  const { body, query } = docs.sample ?? {};
  const variables = Object.entries(pathVariables(path));
  const target = variables.reduce(
    (filled, [name, variable]) => filled.replace(`{${name}}`, reference(variable)),
    path as string,
  );
  const headers = {
    'X-AUTH-APIKEY': reference('API_KEY'),
    'X-AUTH-APISECRET': reference('API_SECRET'),
    // A new key for every request that is sent.
    ...(!isRead(operation) && { 'Idempotency-Key': '{{$guid}}' }),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
  };
  return {
    name: summary,
    request: {
      method,
      description,
      header: Object.entries(headers).map(([key, value]) => ({ key, value })),
      url: `{{BASE_URL}}${target}${query ? `?${new URLSearchParams(query)}` : ''}`,
      ...(body !== undefined && {
        body: {
          mode: 'raw',
          raw: JSON.stringify(body, null, 2),
          options: { raw: { language: 'json' } },
        },
      }),
    },
    ...(operation === addCard && { event: [{ listen: 'test', script: { exec: keepCardUuid } }] }),
  };
}

/** So that the next request can remove the card. */
const keepCardUuid = [
  'const { card } = pm.response.json();',
  "if (card) pm.collectionVariables.set('CARD_UUID', card.uuid);",
];
