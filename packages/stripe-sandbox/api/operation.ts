/** What the operations of the API share. */
import { randomInt } from 'node:crypto';
import type { Store } from '../state/store.ts';
import { invalidParameter, missing } from './errors.ts';
import type { Params } from './params.ts';

export type Call = {
  store: Store;
  params: Params;
  /** Of the URL. */
  path: string;
  /** The ID in the path; empty if the path has none. */
  id: string;
  apiVersion: string;
  requestId: string;
  /** Of a POST. */
  idempotencyKey: string | null;
  /** Whether the caller is a browser, with the publishable key only. */
  isFromBrowser: boolean;
  clientAddress: string | null;
};

export type Operation = {
  /** The method of Stripe's Node.js SDK. */
  name: string;
  /** With `:id` in place of an ID. */
  route: `${'GET' | 'POST' | 'DELETE'} /v1/${string}`;
  /** The supported parameters besides `expand`. Any other is refused. */
  allowed?: readonly string[];
  /** Whether the publishable key is enough. */
  isPublic?: true;
  /**
   * @returns the body of a 200, or a StripeApiError, which keeps the operation's writes
   * @throws StripeApiError, which undoes the operation's writes
   */
  run: (call: Call) => object;
};

/** The request that an event names; none for changes by an issuer or in the Dashboard. */
export const requestOf = (call: Call | null) =>
  call ? { request: { id: call.requestId, idempotency_key: call.idempotencyKey } } : {};

export const PAGE_PARAMETERS = ['limit', 'starting_after', 'ending_before'];

/**
 * A list with cursors. https://docs.stripe.com/api/pagination
 * @param all newest first
 * @param noun in the error for an unknown cursor
 * @throws StripeApiError 400 for an invalid limit or cursor
 */
export function listOf(all: { id: string }[], { params, path: url }: Call, noun: string): object {
  const limit = pageLimit(params);
  const [after, before] = [params.text('starting_after'), params.text('ending_before')];
  const cursor = all.findIndex(({ id }) => id === (after ?? before));
  if (cursor < 0 && (after ?? before) !== undefined)
    throw missing(noun, after ?? before ?? '', after ? 'starting_after' : 'ending_before', false);
  const rest = before === undefined ? all.slice(cursor + 1) : all.slice(0, cursor).reverse();
  const page = rest.slice(0, limit);
  const data = before === undefined ? page : page.reverse();
  return { object: 'list', data, has_more: rest.length > limit, url };
}

export const SEARCH_PARAMETERS = ['query', 'limit', 'page'];

/**
 * A page of search results. https://docs.stripe.com/api/pagination/search
 * @param all newest first
 * @throws StripeApiError 400 for an invalid limit or page
 */
export function searchResultOf(all: { id: string }[], { params, path: url }: Call): object {
  const limit = pageLimit(params);
  const page = params.text('page');
  const last = all.findIndex(({ id }) => id === page);
  if (page !== undefined && last < 0) throw invalidParameter('page', 'Invalid page');
  const rest = all.slice(last + 1);
  const data = rest.slice(0, limit);
  const has_more = rest.length > limit;
  return { object: 'search_result', data, has_more, next_page: has_more ? data.at(-1)?.id : null, url };
}

function pageLimit(params: Params): number {
  const limit = params.integer('limit') ?? 10;
  if (limit >= 1 && limit <= 100) return limit;
  throw invalidParameter('limit', 'Invalid limit: must be between 1 and 100', 'parameter_invalid_integer');
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** @returns random base62 characters */
export function randomText(length: number): string {
  return Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

type IdPrefix = 'tok' | 'card' | 'cus' | 'pm' | 'seti' | 'setatt' | 'evt' | 'req';

/** @returns an ID in Stripe's format, such as `pm_1Pgc75B7WZ01zgkWlHVgdEGJ` */
export function newId(prefix: IdPrefix): string {
  return prefix === 'cus' || prefix === 'req'
    ? `${prefix}_${randomText(14)}`
    : `${prefix}_1${randomText(23)}`;
}

export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
