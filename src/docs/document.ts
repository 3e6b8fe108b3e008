import { contactHref } from '#components/ui/contact-href.ts';
import type { JsonSchema } from '#src/api/json-schema.ts';
import { openApiDocument } from '#src/api/openapi.ts';
import { type Settings, settings } from '#src/settings.ts';

export type Media = { schema: JsonSchema; examples?: Record<string, { summary: string; value: unknown }> };
export type Answer = {
  description: string;
  headers?: Record<string, { description: string; required?: boolean }>;
  content?: { 'application/json': Media };
};
export type Operation = {
  operationId: string;
  summary: string;
  description: string;
  parameters: { in: string; name: string; required?: boolean; description?: string }[];
  requestBody?: { content: { 'application/json': Media } };
  responses: Record<string, Answer>;
};
export type ApiDocument = {
  paths: Record<string, Partial<Record<'get' | 'post' | 'delete', Operation>>>;
  components: { schemas: Record<string, JsonSchema> };
};

/** What the pages are made from. */
export type DocsContext = {
  document: ApiDocument;
  settings: Settings;
  /** The support contact, as a link where it is an address. */
  support: string;
};

/** The document of the running service. */
export function docsContext(): DocsContext {
  const current = settings();
  const { SERVICE_NAME: serviceName, SUPPORT_CONTACT: supportContact, publicUrl } = current;
  const document = openApiDocument({ serviceName, supportContact, publicUrl });
  const supportHref = contactHref(supportContact);
  return {
    document: JSON.parse(JSON.stringify(document)) as ApiDocument,
    settings: current,
    support: supportHref ? `[${supportContact}](${supportHref})` : supportContact,
  };
}
