/** Serves a small page that uses the sandbox, under the Content-Security-Policy of the product's pages. */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { buildSync } from 'esbuild';

const ENTRY = join(import.meta.dirname, 'card-form.cjs');

/** Development builds, which warn about misuse. */
function bundle(): string {
  const { outputFiles } = buildSync({
    entryPoints: [ENTRY],
    bundle: true,
    write: false,
    format: 'iife',
    define: { 'process.env.NODE_ENV': '"development"' },
  });
  return outputFiles[0]?.text ?? '';
}

export type PageSettings = { sandboxOrigin: string; scriptPath: string; publishableKey: string };

function html({ sandboxOrigin, scriptPath, publishableKey }: PageSettings, nonce: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Card form</title>
    <body data-sandbox-origin="${sandboxOrigin}" data-script-path="${scriptPath}" data-publishable-key="${publishableKey}">
    <div id="root"></div><script nonce="${nonce}" src="/page.js"></script></body></html>`;
}

/** @param readSettings called for each load, because the sandbox starts after the page's origin is known */
export async function startPageServer(
  readSettings: () => PageSettings,
): Promise<{ origin: string; close(): Promise<void> }> {
  const script = bundle();
  const server = createServer((request, response) => {
    if (request.url === '/page.js')
      return void response.setHeader('Content-Type', 'text/javascript').end(script);
    if (request.url !== '/') return void response.writeHead(404).end();
    const nonce = randomBytes(16).toString('base64');
    const settings = readSettings();
    response.setHeader('Content-Type', 'text/html');
    response.setHeader(
      'Content-Security-Policy',
      `default-src 'none'; script-src 'nonce-${nonce}' 'strict-dynamic'; style-src 'self' 'nonce-${nonce}'; frame-src ${settings.sandboxOrigin}; connect-src 'self' ${settings.sandboxOrigin}; base-uri 'none'; form-action 'self'`,
    );
    response.end(html(settings, nonce));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
