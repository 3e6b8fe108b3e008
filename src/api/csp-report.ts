import { z } from 'zod';
import { mediaTypeOf, parse, parseJson, readText } from './body.ts';
import { clientAddress } from './client-address.ts';
import type { Next } from './operation.ts';
import { HttpProblem } from './problems.ts';
import { countCspReport } from './rate-limits.ts';

export const cspReportPath = '/api/csp-reports';

/** Other sites cannot send these without asking first, which is refused: there are no CORS headers. */
const mediaTypes = ['application/csp-report', 'application/reports+json', 'application/json'];

const text = z.string().max(4_000).default('');
/** https://www.w3.org/TR/CSP3/#deprecated-serialize-violation */
const legacyReport = z.object({
  'csp-report': z.object({ 'effective-directive': text, 'blocked-uri': text, 'document-uri': text }),
});
/** https://www.w3.org/TR/CSP3/#reporting, in a batch of https://www.w3.org/TR/reporting-1/ */
const reports = z
  .array(
    z.object({
      type: z.literal('csp-violation'),
      body: z.object({ effectiveDirective: text, blockedURL: text, documentURL: text }),
    }),
  )
  .min(1)
  .max(20);
const schema = z.union([legacyReport, reports]);

type Violation = { reason: string; blocked: string; isPaymentPage: boolean };

/** Anyone can send a report, so a violation consists of these values only, and none of the report's own texts. */
const known = {
  directive:
    /^(script|style|img|font|connect|frame|child|worker|media|object|manifest)-src(-elem|-attr)?$|^(form-action|base-uri|frame-ancestors|default-src)$/,
  blocked: /^(inline|eval|wasm-eval|self|data|blob|https?|wss?|[a-z]{2,7}-extension)$/,
};

/** Receives what a browser reports that the content security policy has blocked. */
export const receiveCspReport: Next = async ({ request, requestId, services }) => {
  const address = clientAddress(request);
  await countCspReport(services.rateLimits, address);
  if (!mediaTypes.includes(mediaTypeOf(request))) throw new HttpProblem('unsupported_media_type');
  const body = await readText(request);
  const origin = { channel: 'dashboard' as const, address, requestId };
  for (const violation of violationsOf(parse(schema, parseJson(body)))) {
    services.securityEvents.record({ event: 'csp.violated', ...violation, ...origin });
  }
  return { status: 204, body: '' };
};

function violationsOf(report: z.infer<typeof schema>): Violation[] {
  if (Array.isArray(report)) {
    return report.map(({ body }) => violationOf(body.effectiveDirective, body.blockedURL, body.documentURL));
  }
  const body = report['csp-report'];
  return [violationOf(body['effective-directive'], body['blocked-uri'], body['document-uri'])];
}

function violationOf(directive: string, blockedUrl: string, documentUrl: string): Violation {
  const blocked = blockedUrl.split(':', 1)[0] ?? '';
  const page = URL.canParse(documentUrl) ? new URL(documentUrl).pathname : '';
  return {
    reason: known.directive.test(directive) ? directive : 'other',
    blocked: known.blocked.test(blocked) ? blocked : 'other',
    isPaymentPage: page === '/cards',
  };
}
