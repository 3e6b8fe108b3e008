import type { Row } from '#components/docs/block.ts';
import type { JsonSchema } from '#src/api/json-schema.ts';
import type { ApiDocument } from './document.ts';

/** @returns a row for each field of a schema: name, type, what it is */
export function fieldRows(schema: JsonSchema, document: ApiDocument, isRequest: boolean): Row[] {
  const { properties = {}, required = [] } = resolved(schema, document);
  const optionalNote = isRequest ? 'Optional.' : 'May be missing.';
  return Object.entries(properties).map(([name, field]) => {
    const isOptional = !required.includes(name);
    const note = isOptional ? optionalNote : isRequest ? '**Required.**' : '';
    const described = field.description ?? resolved(field, document).description ?? '';
    return {
      cells: [`\`${name}\``, typeWords(field), [note, described, shape(field)].filter(Boolean).join(' ')],
    };
  });
}

/** The objects that a schema is made of, itself aside, in the order they are met. */
export function innerObjects(schema: JsonSchema, document: ApiDocument, seen: string[] = []): string[] {
  const name = refName(schema);
  if (name && seen.includes(name)) return seen;
  if (name) seen.push(name);
  const { properties = {}, oneOf = [], items } = resolved(schema, document);
  for (const inner of [...Object.values(properties), ...oneOf, ...(items ? [items] : [])]) {
    innerObjects(inner, document, seen);
  }
  return seen;
}

export function refName(schema: JsonSchema): string | undefined {
  return schema.$ref?.split('/').at(-1);
}

export function resolved(schema: JsonSchema, document: ApiDocument): JsonSchema {
  const name = refName(schema);
  return name ? (document.components.schemas[name] ?? {}) : schema;
}

function typeWords(schema: JsonSchema): string {
  const name = refName(schema);
  if (name) return `[${name}](#${name})`;
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(', ');
  const either = schema.oneOf ?? schema.anyOf;
  if (either) return either.map(typeWords).join(' or ');
  if (schema.type === 'array') return `array of ${typeWords(schema.items ?? {})}`;
  return [schema.type ?? ''].flat().join(' or ');
}

const shapes: Record<string, string> = {
  '^\\d{4}$': 'Four digits.',
  '^(0[1-9]|1[0-2])$': '`01` to `12`.',
  '^(0?[1-9]|1[0-2])$': 'A month: `1` or `01` to `12`.',
  '^(\\d{2}|[12]\\d{3})$': 'A year: `31` or `2031`.',
  '^(tok|pm)_[A-Za-z0-9_]+$': 'Starts with `tok_` or `pm_`.',
};

function shape(schema: JsonSchema): string {
  const texts = [schema.anyOf?.find(({ pattern }) => pattern)?.pattern ?? schema.pattern].map(
    (pattern) => shapes[pattern ?? ''],
  );
  if (schema.maxLength !== undefined) texts.push(`At most ${schema.maxLength} characters.`);
  const all = texts.filter(Boolean).join(' ');
  return all;
}
