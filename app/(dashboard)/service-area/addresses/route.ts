import { z } from 'zod';
import { services } from '#src/api/services.ts';
import { isCrossSite } from '#src/api/session.ts';
import { scriptProblem, scriptSession } from '../../session.ts';
import { addressesOf } from '../addresses.ts';

const bodySchema = z.object({ address: z.string().trim().min(1) });

/** The address search of the service area's page. The body keeps addresses out of logs of URLs. */
export async function POST(request: Request): Promise<Response> {
  // A search uses the customer's quota, and asks a service of somebody else.
  if (isCrossSite(services(), request.headers))
    return scriptProblem(403, 'cross_site', 'The request did not come from this site.');
  const session = await scriptSession(request);
  if (session instanceof Response) return session;
  const body = bodySchema.safeParse(await request.json().catch(() => undefined));
  if (!body.success) return scriptProblem(400, 'invalid_request', 'Send {"address":"…"}.');
  const addresses = await addressesOf(body.data.address, session);
  if (!addresses)
    return scriptProblem(502, 'server_error', 'The address search failed. Try again in a minute.');
  return Response.json({ addresses }, { headers: { 'cache-control': 'no-store' } });
}
