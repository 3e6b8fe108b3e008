import type { JsonSchema } from '#src/api/openapi.ts';
import { openApiDocument } from '#src/api/openapi.ts';
import type { Settings } from '#src/settings.ts';

type Media = { schema: JsonSchema };
type ResponseObject = {
  description: string;
  headers?: Record<string, { description: string; required?: boolean }>;
  content?: { 'application/json': Media };
};
export type OperationObject = {
  parameters: { in: string; name: string; required?: boolean; description?: string }[];
  requestBody?: { content: { 'application/json': Media } };
  responses: Record<string, ResponseObject>;
};
export type ApiDocument = {
  paths: Record<string, Record<string, OperationObject>>;
  components: { schemas: Record<string, JsonSchema> };
};

/** The source of the generated pages. */
export type DocsContext = { document: ApiDocument; settings: Settings };

export function docsContext(settings: Settings): DocsContext {
  const { SERVICE_NAME: serviceName, SUPPORT_CONTACT: supportContact, publicUrl } = settings;
  const document = openApiDocument({ serviceName, supportContact, publicUrl });
  return { document: JSON.parse(JSON.stringify(document)) as ApiDocument, settings };
}
