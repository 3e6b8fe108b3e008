import type { Settings } from '#src/settings.ts';
import type { RequestHeaders } from './messages.ts';

/**
 * Whether a browser's request comes from our own pages, by `Sec-Fetch-Site` or else by `Origin`.
 * @param isProofRequired true for writes: a request without both headers is rejected; otherwise it is accepted
 */
export function isSameOrigin(
  { publicUrl }: Settings,
  headers: RequestHeaders,
  { isProofRequired }: { isProofRequired: boolean },
): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin' || (!isProofRequired && site === 'none');
  const origin = headers.get('origin');
  if (origin !== null) return isOurs(publicUrl, origin, headers.get('host'));
  return !isProofRequired;
}

function isOurs(publicUrl: string, origin: string, host: string | null): boolean {
  if (!URL.canParse(origin)) return false;
  const ours = new URL(publicUrl);
  return origin === ours.origin || (ours.protocol === 'http:' && origin === `http://${host}`);
}
