import { FRAME_PATHS } from './paths.ts';

export type Asset = { body: string; headers: Record<string, string> };

type FieldName = keyof typeof FRAME_PATHS;

const FIELDS: Record<FieldName, { label: string; placeholder: string; name: string; autocomplete: string }> =
  {
    cardNumber: {
      label: 'Credit or debit card number',
      placeholder: '1234 1234 1234 1234',
      name: 'cardnumber',
      autocomplete: 'cc-number',
    },
    cardExpiry: {
      label: 'Credit or debit card expiration date',
      placeholder: 'MM / YY',
      name: 'exp-date',
      autocomplete: 'cc-exp',
    },
    cardCvc: {
      label: 'Credit or debit card CVC/CVV',
      placeholder: 'CVC',
      name: 'cvc',
      autocomplete: 'cc-csc',
    },
  };

const NOTICE =
  '<span id="notice" class="notice">stand-in<span class="unseen"> for the card provider: test card numbers only</span></span>';

/** @param pageOrigins the origins whose pages may show the frames @returns the frames' pages by path */
export function framePages(pageOrigins: string[]): [string, Asset][] {
  const names = Object.keys(FRAME_PATHS) as FieldName[];
  return names.map((name) => [
    FRAME_PATHS[name],
    { body: page(name, pageOrigins), headers: headers(pageOrigins) },
  ]);
}

function page(field: FieldName, pageOrigins: string[]): string {
  const { label, placeholder, name, autocomplete } = FIELDS[field];
  const isNumber = field === 'cardNumber';
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="field" content="${field}">
<meta name="page-origins" content="${escaped(pageOrigins.join(' '))}">
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

const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

function headers(pageOrigins: string[]): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${pageOrigins.join(' ') || "'none'"}`,
  ];
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy.join('; '),
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
  };
}
