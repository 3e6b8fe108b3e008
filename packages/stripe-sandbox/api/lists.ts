/** Lists with cursors. https://docs.stripe.com/api/pagination */
import { invalidParameter, missing } from './errors.ts';
import { type ApiResponse, succeeded } from './operation.ts';
import type { Params } from './params.ts';

export const PAGE_PARAMETERS = ['limit', 'starting_after', 'ending_before'];

/**
 * @param all newest first
 * @param noun in the error for an unknown cursor
 * @throws StripeApiError 400 for an invalid limit or cursor
 */
export function listOf(all: { id: string }[], params: Params, url: string, noun: string): ApiResponse {
  const limit = params.integer('limit') ?? 10;
  if (limit < 1 || limit > 100)
    throw invalidParameter('limit', 'Invalid limit: must be between 1 and 100', 'parameter_invalid_integer');
  const [after, before] = [params.text('starting_after'), params.text('ending_before')];
  const cursor = all.findIndex(({ id }) => id === (after ?? before));
  if (cursor < 0 && (after ?? before) !== undefined)
    throw missing(noun, after ?? before ?? '', after ? 'starting_after' : 'ending_before', false);
  const rest = before === undefined ? all.slice(cursor + 1) : all.slice(0, cursor).reverse();
  const page = rest.slice(0, limit);
  const data = before === undefined ? page : page.reverse();
  return succeeded({ object: 'list', data, has_more: rest.length > limit, url });
}
