import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { services } from '#src/api/services.ts';
import { clientPackage } from '#src/client-package.ts';

export const dynamic = 'force-dynamic';

/** The client, for `npm install <URL>`. The build packs it. */
export async function GET(_request: Request, { params }: RouteContext<'/client/[file]'>): Promise<Response> {
  const { file } = await params;
  const isKnown = file === clientPackage;
  const content = isKnown
    ? await readFile(path.join(process.cwd(), '.next', clientPackage)).catch(() => undefined)
    : undefined;
  if (!content) {
    const text = isKnown
      ? 'Not found. The package is part of the production build.\n'
      : `Not found. The current package is ${services().settings.publicUrl}/client/${clientPackage}.\n`;
    return new Response(text, { status: 404 });
  }
  return new Response(content, {
    headers: { 'Content-Type': 'application/gzip', 'Cache-Control': 'private, max-age=300' },
  });
}
