/** As much of the served OpenAPI document as the generated requests and the judgement of responses need. */
import type { JsonSchema } from '#src/api/json-schema.ts';

type ResponseHeader = { required?: boolean; schema: { type: string } };
export type Operation = {
  operationId: string;
  parameters?: { in: string; name: string; schema: JsonSchema }[];
  requestBody?: { content: { 'application/json': { schema: JsonSchema } } };
  responses: Record<
    string,
    { headers?: Record<string, ResponseHeader>; content?: { 'application/json': { schema: JsonSchema } } }
  >;
};
export type Served = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, JsonSchema> };
};

export type Target = { path: string; method: string; operation: Operation };

export function targetsOf(served: Served): Target[] {
  return Object.entries(served.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
}

/** @returns the operation of a path, the one of its method where there is one */
export function targetAt(targets: Target[], method: string, address: string): Target | undefined {
  const rest = withoutPrefix(address.split('?', 1)[0] ?? '');
  const here = targets.filter(({ path }) => pattern(withoutPrefix(path)).test(rest));
  return here.find((target) => target.method === method) ?? here[0];
}

function withoutPrefix(path: string): string {
  return path.replace(/^\/(api\/schedule|schedule|api)\/v1/, '');
}

function pattern(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{\w+\}/, '[^/]+')}$`);
}
