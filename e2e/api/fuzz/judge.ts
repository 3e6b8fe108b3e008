import { createRequire } from 'node:module';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { JsonSchema } from '#src/api/json-schema.ts';
import type { Operation, Served } from './document.ts';
import type { RawResponse } from './send.ts';

type ValidatorModule = typeof import('openapi-response-validator');
// A CommonJS module whose default export hides behind `default` at run time only.
const { default: Validator } = createRequire(import.meta.url)(
  'openapi-response-validator',
) as ValidatorModule;

/** What HTTP itself and the safety of browsers add to every response. */
const ordinary =
  'connection content-length content-security-policy content-type cross-origin-resource-policy date keep-alive referrer-policy transfer-encoding x-content-type-options'.split(
    ' ',
  );

export type Judge = (operation: Operation, response: RawResponse, isHead: boolean) => string[];

/** @returns what is wrong with a response by the served document: nothing, where it is within it */
export function judgeOf(served: Served): Judge {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  const compiled = new Map<JsonSchema, ReturnType<typeof ajv.compile>>();
  const isValid = (schema: JsonSchema, value: unknown) => {
    const known = compiled.get(schema) ?? ajv.compile({ ...schema, components: served.components });
    compiled.set(schema, known);
    return known(value) ? [] : [ajv.errorsText(known.errors)];
  };
  return (operation, response, isHead) => {
    const { status, text } = response;
    const listed = operation.responses[status];
    if (!listed) return [`${status} is not listed`];
    const faults = headerFaults(listed.headers ?? {}, response.headers);
    if (status >= 500) faults.push(`${status} is a fault of the service`);
    const media = listed.content?.['application/json'];
    if (isHead || !media) return text === '' ? faults : [...faults, 'a body where none belongs'];
    if (!/^application\/json; charset=utf-8$/.test(response.headers['content-type'] ?? ''))
      return [...faults, `not JSON: ${response.headers['content-type']}`];
    return [...faults, ...isValid(media.schema, JSON.parse(text))];
  };
}

type Listed = NonNullable<Operation['responses'][string]['headers']>;

function headerFaults(listed: Listed, headers: Record<string, string>): string[] {
  const names = new Map(Object.entries(listed).map(([name, header]) => [name.toLowerCase(), header]));
  const missing = [...names].flatMap(([name, { required, schema }]) => {
    const value = headers[name];
    if (value === undefined) return required ? [`${name} is missing`] : [];
    return schema.type === 'integer' && !/^\d+$/.test(value) ? [`${name} is not an integer`] : [];
  });
  const unlisted = Object.keys(headers).filter((name) => !names.has(name) && !ordinary.includes(name));
  return [...missing, ...unlisted.map((name) => `${name} is not listed`)];
}

/** A second opinion: a published validator of other people. @returns what it says is wrong */
export function secondOpinion(served: Served): Judge {
  const validators = new Map<Operation, InstanceType<typeof Validator>>();
  return (operation, { status, text }, isHead) => {
    if (isHead || text === '') return [];
    const parts = JSON.parse(
      JSON.stringify({ responses: operation.responses, components: served.components }),
    );
    const validator = validators.get(operation) ?? new Validator(parts);
    validators.set(operation, validator);
    const fault = validator.validateResponse(status, JSON.parse(text));
    return fault ? [`${fault.message} ${JSON.stringify(fault.errors)}`] : [];
  };
}
