'use server';

import { refresh } from 'next/cache';
import { headers } from 'next/headers';
import { refusalOfRequest } from '#src/api/rate-limits.ts';
import { services } from '#src/api/services.ts';
import { readSession } from '#src/api/session.ts';

/**
 * Renders the page again, unless the session has ended or the quota is used up. `router.refresh()` would load a document
 * with the error in place of the page, or continue with the sign-in form in the same document.
 */
export async function refreshPage(): Promise<void> {
  const session = await readSession(services(), (await headers()).get('cookie'));
  if (!session || (await refusalOfRequest(services().rateLimits, session.customerId))) return;
  refresh();
}
