/** Serves one small page that uses the stand-in, under the content security policy that the product's pages have. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const ENTRY = join(import.meta.dirname, 'card-form.cjs');

/** @returns the CommonJS modules that `entry` needs, one after another in one script; the packages' development builds */
function bundle(entry: string): string {
  const ids = new Map<string, number>();
  const modules: string[] = [];
  const add = (file: string): number => {
    const known = ids.get(file);
    if (known !== undefined) return known;
    const id = ids.size;
    ids.set(file, id);
    const { resolve } = createRequire(file);
    // A comment may name a module that is nowhere; such a call is left as it stands.
    const requireOf = (call: string, name: string) => {
      try {
        return `require(${add(resolve(name))})`;
      } catch {
        return call;
      }
    };
    const code = readFileSync(file, 'utf8').replace(
      /\brequire\((['"])([^'"]+)\1\)/g,
      (call, _quote, name: string) => requireOf(call, name),
    );
    modules.push(`${id}: function (module, exports, require) {\n${code}\n}`);
    return id;
  };
  add(entry);
  return `(() => {
    const process = { env: { NODE_ENV: 'development' } };
    const loaded = {};
    const modules = { ${modules.join(',\n')} };
    function require(id) {
      if (!loaded[id]) { loaded[id] = { exports: {} }; modules[id](loaded[id], loaded[id].exports, require); }
      return loaded[id].exports;
    }
    require(0);
  })();`;
}

export type PageSettings = { sandboxOrigin: string; scriptPath: string; publishableKey: string };

function html({ sandboxOrigin, scriptPath, publishableKey }: PageSettings, nonce: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Card form</title>
    <body data-sandbox-origin="${sandboxOrigin}" data-script-path="${scriptPath}" data-publishable-key="${publishableKey}">
    <div id="root"></div><script nonce="${nonce}" src="/page.js"></script></body></html>`;
}

/** @param readSettings asked for at each load: the page's origin has to be known before the sandbox starts */
export async function startPageServer(
  readSettings: () => PageSettings,
): Promise<{ origin: string; close(): Promise<void> }> {
  const script = bundle(ENTRY);
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
