import { openApiDocument } from '#src/api/openapi.ts';
import { openApi30 } from '#src/api/openapi-30.ts';
import { services } from '#src/api/services.ts';

export const dynamic = 'force-dynamic';

/** The same document as `/openapi.json`, for tools that don't read OpenAPI 3.1. */
export async function GET(): Promise<Response> {
  const { SERVICE_NAME: serviceName, SUPPORT_CONTACT: supportContact, publicUrl } = services().settings;
  return Response.json(openApi30(openApiDocument({ serviceName, supportContact, publicUrl })), {
    headers: { 'Cache-Control': 'private, max-age=300', 'X-Content-Type-Options': 'nosniff' },
  });
}
