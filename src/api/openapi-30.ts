/** The OpenAPI document in version 3.0, for generators that don't read 3.1. */

type Node = Record<string, unknown>;
type Document = {
  info: { license: { name: string } };
  paths: Node;
  components: { schemas: Record<string, Node> };
};

/** Schemas are the only part of the document that differs between the versions, besides the license. */
export function openApi30(document: object): Node {
  const { info, paths, components, ...rest } = document as Document;
  return {
    ...rest,
    openapi: '3.0.3',
    info: { ...info, license: { name: info.license.name, url: 'https://opensource.org/license/mit' } },
    paths: withSchemas(paths),
    components: {
      ...components,
      schemas: mapValues(components.schemas, schema30),
    },
  };
}

/** Rewrites what is below a `schema` in paths, and nothing else: examples can contain any JSON. */
function withSchemas(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSchemas);
  if (!isNode(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => {
      if (name === 'schema' && isNode(child)) return [name, schema30(child)];
      return [name, name === 'examples' ? child : withSchemas(child)];
    }),
  );
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

function schema30({ $ref, anyOf, oneOf, properties, items, examples, ...rest }: Node): Node {
  if ($ref !== undefined) return { $ref };
  const alternatives = (anyOf ?? oneOf) as Node[] | undefined;
  const others = alternatives?.filter(({ type }) => type !== 'null').map(schema30) ?? [];
  const [example] = (examples ?? []) as unknown[];
  const schema = {
    ...(others.length === 1 ? others[0] : others.length > 1 && { [anyOf ? 'anyOf' : 'oneOf']: others }),
    ...keywords30(rest),
    ...(properties !== undefined && { properties: mapValues(properties as Record<string, Node>, schema30) }),
    ...(items !== undefined && { items: schema30(items as Node) }),
    ...(example !== undefined && { example }),
  };
  return others.length < (alternatives?.length ?? 0) ? nullable(schema) : schema;
}

/** `nullable` needs a `type` beside it. */
function nullable({ $ref, ...schema }: Node): Node {
  if ($ref !== undefined) return { type: 'object', allOf: [{ $ref }], nullable: true, ...schema };
  if (schema.type !== undefined) return { ...schema, nullable: true };
  return { ...schema, anyOf: (schema.anyOf as Node[]).map(nullable) };
}

function mapValues(object: Record<string, Node>, change: (value: Node) => Node): Record<string, Node> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
}

function keywords30({ type, const: constant, exclusiveMinimum, ...rest }: Node): Node {
  const types = [type ?? []].flat();
  const [first] = types.filter((name) => name !== 'null');
  return {
    ...rest,
    // A value that is always null has no type in 3.0.
    ...(types.length > 0 && { type: first ?? 'object' }),
    ...(types.includes('null') && { nullable: true }),
    ...(constant !== undefined && { enum: [constant] }),
    ...(exclusiveMinimum !== undefined && { minimum: exclusiveMinimum, exclusiveMinimum: true }),
  };
}
