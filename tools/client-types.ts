/** `npm run client:generate`: writes the client's types from the OpenAPI document. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openApiDocument } from '#src/api/openapi/document.ts';
import type { JsonSchema } from '#src/api/openapi/json-schema.ts';

export const generatedFile = path.join(
  import.meta.dirname,
  '..',
  'packages',
  'client',
  'generated',
  'schemas.ts',
);

/** @returns the source of a TypeScript module with a type for each schema of the document */
export function clientTypes(): string {
  const document = openApiDocument({ serviceName: '', supportContact: '', publicUrl: 'https://example.com' });
  const schemas = (document.components?.schemas ?? {}) as Record<string, JsonSchema>;
  const types = Object.entries(schemas).map(
    ([name, schema]) => `${comment(schema, '')}export type ${name} = ${typeOf(schema, '')};\n`,
  );
  return [
    '// Made by `npm run client:generate` from the OpenAPI document. Not to be edited.\n',
    ...types,
  ].join('\n');
}

function typeOf(schema: JsonSchema, indent: string): string {
  if (schema.$ref) return schema.$ref.split('/').at(-1) ?? 'never';
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const either = schema.oneOf ?? schema.anyOf;
  if (either) return either.map((inner) => typeOf(inner, indent)).join(' | ');
  if (Array.isArray(schema.type))
    return schema.type.map((type) => typeOf({ ...schema, type }, indent)).join(' | ');
  if (schema.type === 'integer') return 'number';
  if (schema.type === 'array') return `Array<${typeOf(schema.items ?? {}, indent)}>`;
  if (schema.type === 'object' && schema.properties) return objectType(schema, indent);
  if (schema.type === undefined)
    throw new Error(`A schema that is not understood: ${JSON.stringify(schema)}`);
  return schema.type;
}

function objectType({ properties = {}, required = [] }: JsonSchema, indent: string): string {
  const deeper = `${indent}  `;
  const lines = Object.entries(properties).map(([name, schema]) => {
    const mark = required.includes(name) ? '' : '?';
    return `${comment(schema, deeper)}${deeper}${name}${mark}: ${typeOf(schema, deeper)};`;
  });
  return `{\n${lines.join('\n')}\n${indent}}`;
}

function comment({ description }: JsonSchema, indent: string): string {
  return description ? `${indent}/** ${description} */\n` : '';
}

if (process.argv[1] === import.meta.filename) await writeFile(generatedFile, clientTypes());
