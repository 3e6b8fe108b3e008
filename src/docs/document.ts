import { type JsonSchema, openApiDocument } from '#src/api/openapi.ts';
import type { Settings } from '#src/settings.ts';

type Media = { schema: JsonSchema };
export type ResponseObject = {
  description: string;
  headers?: Record<string, { description: string; required?: boolean; schema: { type: string } }>;
  content?: { 'application/json': Media };
};
export type OperationObject = {
  operationId: string;
  parameters: { in: string; name: string; required?: boolean; description?: string; schema: JsonSchema }[];
  requestBody?: { content: { 'application/json': Media } };
  responses: Record<string, ResponseObject>;
};
export type ApiDocument = {
  paths: Record<string, Record<string, OperationObject>>;
  components: { schemas: Record<string, JsonSchema> };
};

/** As JSON: what schemas leave undefined is not there. */
export function openApiOf(settings: Settings): ApiDocument {
  return JSON.parse(JSON.stringify(openApiDocument(settings)));
}
