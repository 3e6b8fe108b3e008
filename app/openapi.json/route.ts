import { openApiDocument } from '#src/api/openapi.ts';
import { services } from '#src/api/services.ts';

/** The document follows the settings of the running service, never those of the build. */
export const dynamic = 'force-dynamic';

export async function GET(): Promise<Response> {
  const { SERVICE_NAME: serviceName, SUPPORT_CONTACT: supportContact, publicUrl } = services().settings;
  return Response.json(openApiDocument({ serviceName, supportContact, publicUrl }), {
    headers: { 'Cache-Control': 'private, max-age=300', 'X-Content-Type-Options': 'nosniff' },
  });
}
