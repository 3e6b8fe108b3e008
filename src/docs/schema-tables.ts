import type { JsonSchema } from '#src/api/openapi.ts';
import type { ApiDocument } from './document.ts';
import { table } from './markdown.ts';
import { headingId } from './page.ts';

/** @returns a section for a schema and for each object in it, with a table of its fields */
export function schemaSections(schema: JsonSchema, document: ApiDocument, isRequest: boolean): string[] {
  return objectNames(schema, document).flatMap((name) => {
    const object = resolveSchema({ $ref: `#/${name}` }, document);
    const variants = object.oneOf ?? [object];
    return [
      `## ${name}`,
      ...(object.description ? [object.description] : []),
      ...variants.map((variant) =>
        table(['Field', 'Type', 'Description'], fieldRows(variant, document, isRequest)),
      ),
    ];
  });
}

function fieldRows(schema: JsonSchema, document: ApiDocument, isRequest: boolean): string[][] {
  const { properties = {}, required = [] } = resolveSchema(schema, document);
  return Object.entries(properties).map(([name, field]) => {
    const isRequired = required.includes(name);
    const presence = isRequest
      ? isRequired
        ? '**Required.**'
        : 'Optional.'
      : isRequired
        ? ''
        : 'Not always present.';
    const description = field.description ?? resolveSchema(field, document).description ?? '';
    return [`\`${name}\``, typeText(field), [presence, description, format(field)].filter(Boolean).join(' ')];
  });
}

/** The names of the objects that a schema consists of, in the order in which they first appear. */
function objectNames(schema: JsonSchema, document: ApiDocument, names: string[] = []): string[] {
  const name = refName(schema);
  if (name && names.includes(name)) return names;
  if (name) names.push(name);
  const { properties = {}, oneOf = [], anyOf = [], items } = resolveSchema(schema, document);
  for (const inner of [...Object.values(properties), ...oneOf, ...anyOf, ...(items ? [items] : [])]) {
    objectNames(inner, document, names);
  }
  return names;
}

function refName(schema: JsonSchema): string | undefined {
  return schema.$ref?.split('/').at(-1);
}

function resolveSchema(schema: JsonSchema, document: ApiDocument): JsonSchema {
  const name = refName(schema);
  return name ? (document.components.schemas[name] ?? {}) : schema;
}

function typeText(schema: JsonSchema): string {
  const name = refName(schema);
  if (name) return `[${name}](#${headingId(name)})`;
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  const values = schema['x-extensible-enum'] ?? schema.enum;
  if (values) return values.map((value) => `\`${String(value)}\``).join(', ');
  const alternatives = alternativesOf(schema);
  if (alternatives.length > 0) return [...new Set(alternatives.map(typeText))].join(' or ');
  if (schema.type === 'array') return `array of ${typeText(schema.items ?? {})}`;
  return [schema.type ?? ''].flat().join(' or ');
}

/** The schemas of which a value matches one, also those within another. */
function alternativesOf({ oneOf = [], anyOf = [] }: JsonSchema): JsonSchema[] {
  return [...oneOf, ...anyOf].flatMap((schema) => {
    const inner = alternativesOf(schema);
    return inner.length > 0 ? inner : [schema];
  });
}

const patternTexts: Record<string, string> = {
  '^\\d{4}$': 'Four digits.',
  '^(0[1-9]|1[0-2])$': '`01` to `12`.',
  '^(0?[1-9]|1[0-2])$': 'A month: `1` or `01` to `12`.',
  '^(\\d{2}|[12]\\d{3})$': 'A year: `31` or `2031`.',
  '^(tok|pm)_[A-Za-z0-9_]+$': 'Starts with `tok_` or `pm_`.',
};

function format(schema: JsonSchema): string {
  const { pattern, maxLength } = schema;
  const patternText =
    patternTexts[alternativesOf(schema).find((inner) => inner.pattern)?.pattern ?? pattern ?? ''];
  const lengthText = maxLength === undefined ? '' : `At most ${maxLength} characters.`;
  return [patternText, lengthText].filter(Boolean).join(' ');
}
