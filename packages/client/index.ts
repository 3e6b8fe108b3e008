export {
  type AddCardResult,
  type CallOptions,
  type ChangeOptions,
  ScheduleClient,
  type ScheduleClientOptions,
} from './client.ts';
export { type ErrorDetail, ScheduleError } from './errors.ts';
export type { AddCardRequest, CardInput, CardObject, City, Customer, Payout } from './generated/schemas.ts';
