import { z } from 'zod';
import { countRequest } from '#src/api/rate-limits.ts';
import { services } from '#src/api/services.ts';
import { readSession } from '#src/api/session.ts';
import { addressesOf } from '../addresses.ts';

/** The address search of the service area's page. The body keeps addresses out of logs of URLs. */
export async function POST(request: Request): Promise<Response> {
  const session = await readSession(services(), request.headers.get('cookie'));
  if (!session) return problem(401, 'authentication_required', 'Sign in first.');
  const { refusal } = await countRequest(services().rateLimits, session.customerId);
  if (refusal) return problem(429, refusal.code, refusal.message, refusal.headers);
  const body = bodySchema.safeParse(await request.json().catch(() => undefined));
  if (!body.success) return problem(400, 'invalid_request', 'Send {"address":"…"}.');
  const addresses = await addressesOf(body.data.address, session.city);
  if (!addresses) return problem(502, 'server_error', 'The address search failed. Try again in a minute.');
  return Response.json({ addresses }, { headers: uncached });
}

const bodySchema = z.object({ address: z.string().trim().min(1) });

const uncached = { 'cache-control': 'no-store' };

function problem(status: number, type: string, message: string, headers: Record<string, string> = {}) {
  return Response.json({ error: { type, message } }, { status, headers: { ...uncached, ...headers } });
}
