/*
 * Every row that belongs to a customer is keyed by `customer_id`, so that its table can be partitioned or distributed by
 * customer. The others are small or looked up before the customer is known.
 */

export { audit, auditEntries, auditPersonal, securityEvents } from './tables/audit.ts';
export { cards, paymentMode, providerEvents, reconciliations } from './tables/cards.ts';
export { cities, customers, secrets, sessions } from './tables/customers.ts';
export { ledgerEntries, ledgerMonths } from './tables/ledger.ts';
export { apiRequests, idempotencyKeys, limitCounts } from './tables/requests.ts';
