/** What the operations of the API share. */
import { randomInt } from 'node:crypto';
import type { Store } from '../state/store.ts';
import type { Params } from './params.ts';

/** Named after the methods of Stripe's Node.js SDK. */
const OPERATION_NAMES = [
  'tokens.create',
  'tokens.retrieve',
  'customers.create',
  'customers.retrieve',
  'customers.update',
  'customers.del',
  'customers.list',
  'customers.listPaymentMethods',
  'customers.retrievePaymentMethod',
  'paymentMethods.create',
  'paymentMethods.retrieve',
  'paymentMethods.update',
  'paymentMethods.list',
  'paymentMethods.attach',
  'paymentMethods.detach',
  'setupIntents.create',
  'setupIntents.retrieve',
  'setupIntents.update',
  'setupIntents.list',
  'setupIntents.confirm',
  'setupIntents.cancel',
  'events.list',
  'events.retrieve',
] as const;
export type OperationName = (typeof OPERATION_NAMES)[number];

export function isOperationName(name: unknown): name is OperationName {
  return OPERATION_NAMES.some((known) => known === name);
}

export type Call = {
  store: Store;
  params: Params;
  /** The ID in the path; empty if the path has none. */
  id: string;
  /** The second ID in the path, such as a customer's payment method. */
  childId: string;
  apiVersion: string;
  requestId: string;
  idempotencyKey: string | null;
  /** Whether the caller is a browser, with the publishable key only. */
  isFromBrowser: boolean;
  clientAddress: string | null;
};

export type ApiResponse = {
  status: number;
  body: object;
  /** For a replayed response: the ID of the first request. */
  originalRequestId?: string;
};

export type Operation = {
  name: OperationName;
  method: 'GET' | 'POST' | 'DELETE';
  /** With `:id` and `:childId` in place of IDs. */
  path: string;
  /** The supported parameters besides `expand`. Any other is refused. */
  allowed: readonly string[];
  /** Whether the publishable key is enough. */
  isPublic?: true;
  /** @throws StripeApiError, which undoes the operation's writes; to keep them, return the error as a response */
  run: (call: Call) => ApiResponse;
};

/** The request that an event names; none for changes by an issuer or in the Dashboard. */
export const requestOf = (call: Call | null) =>
  call ? { request: { id: call.requestId, idempotency_key: call.idempotencyKey } } : {};

export const succeeded = (body: object): ApiResponse => ({ status: 200, body });

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
