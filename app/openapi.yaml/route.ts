import { stringify } from 'yaml';
import { openApiDocument } from '#src/api/openapi.ts';
import { services } from '#src/api/services.ts';

export const dynamic = 'force-dynamic';

/** The same document as `/openapi.json`, to read. */
export async function GET(): Promise<Response> {
  const { SERVICE_NAME: serviceName, SUPPORT_CONTACT: supportContact, publicUrl } = services().settings;
  const document = openApiDocument({ serviceName, supportContact, publicUrl });
  return new Response(stringify(document, { aliasDuplicateObjects: false }), {
    headers: {
      'Content-Type': 'application/yaml; charset=utf-8',
      'Cache-Control': 'private, max-age=300',
      'X-Content-Type-Options': 'nosniff',
    },
  });
}
