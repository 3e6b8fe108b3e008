/** The files that browsers load: the script for pages, and the frames with their script and style sheet. */
import { basename, join } from 'node:path';
import { buildSync } from 'esbuild';
import { CHALLENGE_FRAME_PATH, FIELDS, type FieldType, SCRIPT_PATH } from './browser/protocol.ts';

type Asset = { body: string; headers: Record<string, string> };
const NOTICE =
  '<span id="notice" class="notice">sandbox<span class="visually-hidden"> for test card numbers only</span></span>';

/** @param pageOrigins the origins whose pages may frame the fields, besides loopback @returns the files by path */
export function createAssets(pageOrigins: string[]): Map<string, Asset> {
  bundled ??= bundle();
  const headers = frameHeaders(pageOrigins);
  const fields = (Object.keys(FIELDS) as FieldType[]).map((name): [string, Asset] => [
    FIELDS[name].path,
    { body: framePage(name, pageOrigins), headers },
  ]);
  return new Map([
    ...bundled,
    ...fields,
    [CHALLENGE_FRAME_PATH, { body: challengePage(pageOrigins), headers }],
  ]);
}

/** What `isFromPage` accepts besides the given origins. */
const LOOPBACK_SOURCES = ['http', 'https'].flatMap((scheme) =>
  ['localhost', '127.0.0.1'].map((host) => `${scheme}://${host}:*`),
);

/** One bundle per process, however many sandboxes it starts. */
let bundled: [string, Asset][] | undefined;

/** Classic scripts: a page loads `stripe.js` without `type="module"`. */
function bundle(): [string, Asset][] {
  const { outputFiles } = buildSync({
    absWorkingDir: join(import.meta.dirname, 'browser'),
    entryPoints: ['stripe.ts', 'frame.ts', 'challenge.ts', 'frame.css', 'challenge.css'],
    outdir: 'out',
    bundle: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  });
  return outputFiles.map(({ path, text: body }) => {
    const name = basename(path);
    const headers = {
      'Content-Type': `text/${name.endsWith('.css') ? 'css' : 'javascript'}; charset=utf-8`,
      'Cache-Control': 'no-cache',
      'Cross-Origin-Resource-Policy': 'cross-origin',
    };
    return [name === 'stripe.js' ? SCRIPT_PATH : `/elements/${name}`, { body, headers }];
  });
}

function framePage(field: FieldType, pageOrigins: string[]): string {
  const { label, placeholder, name, autocomplete } = FIELDS[field];
  const isNumber = field === 'cardNumber';
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="field" content="${field}">
<meta name="page-origins" content="${escapeHtml(pageOrigins.join(' '))}">
<title>${label}</title>
<link rel="stylesheet" href="/elements/frame.css">
<script src="/elements/frame.js" defer></script>
<form>
<input name="${name}" autocomplete="${autocomplete}" inputmode="numeric" type="text" placeholder="${placeholder}"
  aria-label="${label}" aria-invalid="false"${isNumber ? ' aria-describedby="notice"' : ''}
  autocorrect="off" autocapitalize="off" spellcheck="false">
${isNumber ? NOTICE : ''}
</form>
</html>
`;
}

function challengePage(pageOrigins: string[]): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="page-origins" content="${escapeHtml(pageOrigins.join(' '))}">
<title>Bank of the sandbox</title>
<link rel="stylesheet" href="/elements/challenge.css">
<script src="/elements/challenge.js" defer></script>
<h1 tabindex="-1">Confirm your card</h1>
<p>Your bank wants to make sure that this card is yours before it is saved.</p>
<p class="muted">This is a sandbox. A real bank asks for a code or sends you to its app. Here, decide how the confirmation ends.</p>
<output role="alert"></output>
<div class="actions">
<button type="button" value="authenticated">Complete</button>
<button type="button" value="rejected">Fail</button>
<button type="button" value="canceled">Cancel</button>
</div>
<button type="button" value="abandoned" aria-label="Close">×</button>
</html>
`;
}

const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

function frameHeaders(pageOrigins: string[]): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    ['frame-ancestors', ...LOOPBACK_SOURCES, ...pageOrigins].join(' '),
  ];
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy.join('; '),
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
  };
}
