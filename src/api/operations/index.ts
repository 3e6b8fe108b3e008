import type { Operation } from '../operation.ts';
import { addCard } from './add-card.ts';
import { getCustomer } from './get-customer.ts';
import { getPayout } from './get-payout.ts';
import { removeCard } from './remove-card.ts';

/** Everything that is derived from operations (routes, OpenAPI, API docs, log names, tests) reads this list. */
export const operations: readonly Operation[] = [getCustomer, getPayout, addCard, removeCard];
