/** `npm run client:generate`: writes the client's types from the OpenAPI document. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openApiDocument } from '#src/api/openapi.ts';

export const generatedFile = path.join(import.meta.dirname, '../packages/client/generated/schemas.ts');

type Components = NonNullable<ReturnType<typeof openApiDocument>['components']>;
type Schema = NonNullable<Components['schemas']>[string];

/** @returns a TypeScript module with one type per schema of the document */
export function clientTypes(): string {
  const document = openApiDocument({
    SERVICE_NAME: '',
    SUPPORT_CONTACT: '',
    publicUrl: 'https://example.com',
  });
  const types = Object.entries(document.components?.schemas ?? {}).map(
    ([name, schema]) => `${comment(schema, '')}export type ${name} = ${typeOf(schema, '')};\n`,
  );
  const header = '// Generated from the OpenAPI document by `npm run client:generate`. Do not edit.\n';
  return [header, ...types].join('\n');
}

/** @throws Error for a schema without a type that the client can express */
function typeOf(schema: Schema, indent: string): string {
  if (typeof schema === 'boolean') return schema ? 'unknown' : 'never';
  if ('$ref' in schema) return schema.$ref?.split('/').at(-1) ?? 'never';
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const values = schema['x-extensible-enum'];
  // The values so far, and any other text.
  if (Array.isArray(values)) return `${union(values)} | (string & {})`;
  if (schema.enum) return union(schema.enum);
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (alternatives) return alternatives.map((inner: Schema) => typeOf(inner, indent)).join(' | ');
  if (Array.isArray(schema.type))
    return schema.type.map((type) => typeOf({ ...schema, type }, indent)).join(' | ');
  if (schema.type === 'integer') return 'number';
  if (schema.type === 'array') return `Array<${typeOf(schema.items ?? true, indent)}>`;
  if (schema.type === 'object' && schema.properties)
    return objectType(schema.properties, schema.required ?? [], indent);
  if (schema.type === undefined) throw new Error(`Unsupported schema: ${JSON.stringify(schema)}`);
  return schema.type;
}

const union = (values: unknown[]) => values.map((value) => JSON.stringify(value)).join(' | ');

function objectType(properties: Record<string, Schema>, required: string[], indent: string): string {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, schema]) => {
    const mark = required.includes(name) ? '' : '?';
    return `${comment(schema, inner)}${inner}${name}${mark}: ${typeOf(schema, inner)};`;
  });
  return `{\n${lines.join('\n')}\n${indent}}`;
}

function comment(schema: Schema, indent: string): string {
  if (typeof schema === 'boolean' || !schema.description) return '';
  return `${indent}/** ${schema.description} */\n`;
}

if (process.argv[1] === import.meta.filename) await writeFile(generatedFile, clientTypes());
