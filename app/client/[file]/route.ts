import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { plainText } from '#app/responses.ts';
import { services } from '#src/api/services.ts';
import { clientPackage } from '#src/client-package.ts';

export const dynamic = 'force-dynamic';

/** The client, for `npm install <URL>`. The build packs it. */
export async function GET(_request: Request, { params }: RouteContext<'/client/[file]'>): Promise<Response> {
  const { file } = await params;
  if (file !== clientPackage) {
    const url = `${services().settings.publicUrl}/client/${clientPackage}`;
    return plainText(404, `Not found. The current package is ${url}.`);
  }
  const content = await readFile(path.join(process.cwd(), '.next', clientPackage)).catch(() => undefined);
  if (!content) return plainText(404, 'Not found. The package is part of the production build.');
  return new Response(content, {
    headers: { 'Content-Type': 'application/gzip', 'Cache-Control': 'private, max-age=300' },
  });
}
