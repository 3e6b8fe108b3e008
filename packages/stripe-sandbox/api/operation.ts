/** What an operation of the stand-in's API is. */
import type { Store } from '../state/store.ts';
import type { Params } from './params.ts';

/** Named as the SDK's methods. */
export type OperationName =
  | 'tokens.create'
  | 'tokens.retrieve'
  | 'customers.create'
  | 'customers.retrieve'
  | 'customers.listPaymentMethods'
  | 'paymentMethods.create'
  | 'paymentMethods.retrieve'
  | 'paymentMethods.attach'
  | 'paymentMethods.detach'
  | 'setupIntents.create'
  | 'setupIntents.retrieve';

export type Call = {
  store: Store;
  params: Params;
  /** The id in the path; empty where the path has none. */
  id: string;
  requestId: string;
  idempotencyKey: string | null;
  clientAddress: string | null;
};

export type Reply = {
  status: number;
  body: object;
  /** The request that a replayed reply was first given to. */
  original?: string;
};

export type Operation = {
  name: OperationName;
  method: 'GET' | 'POST';
  /** With `:id` where the path has an id. */
  path: string;
  /** The parameters it knows; any other is refused. */
  allowed: readonly string[];
  /** Whether the browser may call it with the publishable key. */
  isPublic?: true;
  /** @throws ApiError, which undoes all that it wrote; an error that keeps it is returned as a reply */
  run: (call: Call) => Reply;
};

export const succeeded = (body: object): Reply => ({ status: 200, body });
