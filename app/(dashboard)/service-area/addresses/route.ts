import { z } from 'zod';
import { countRequest } from '#src/api/rate-limits.ts';
import { services } from '#src/api/services.ts';
import { isCrossSite, readSession } from '#src/api/session.ts';
import { addressesOf } from '../addresses.ts';

/** The address search of the service area's page. The body keeps addresses out of logs of URLs. */
export async function POST(request: Request): Promise<Response> {
  // A search uses the customer's quota, and asks a service of somebody else.
  if (isCrossSite(services(), request.headers))
    return problem(403, 'cross_site', 'The request did not come from this site.');
  const session = await readSession(services(), request.headers.get('cookie'));
  if (!session) return problem(401, 'authentication_required', 'Sign in first.');
  const { refusal } = await countRequest(services().rateLimits, session.customerId);
  if (refusal) return problem(429, refusal.code, refusal.message, refusal.headers);
  const body = bodySchema.safeParse(await request.json().catch(() => undefined));
  if (!body.success) return problem(400, 'invalid_request', 'Send {"address":"…"}.');
  const addresses = await addressesOf(body.data.address, session);
  if (!addresses) return problem(502, 'server_error', 'The address search failed. Try again in a minute.');
  return Response.json({ addresses }, { headers: uncached });
}

const bodySchema = z.object({ address: z.string().trim().min(1) });

const uncached = { 'cache-control': 'no-store' };

function problem(status: number, type: string, message: string, headers: Record<string, string> = {}) {
  return Response.json({ error: { type, message } }, { status, headers: { ...uncached, ...headers } });
}
