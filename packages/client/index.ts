export {
  checkDelivery,
  type DeliveryCheck,
  type Point,
  type PriceStep,
  priceTable,
  serviceArea,
} from './city.ts';
export {
  type AddCardResult,
  type CallOptions,
  type ChangeOptions,
  ScheduleClient,
  type ScheduleClientOptions,
} from './client.ts';
export {
  AuthenticationError,
  ConfigurationError,
  ConflictError,
  ConnectionError,
  type ErrorDetail,
  InvalidRequestError,
  NotFoundError,
  ProviderError,
  RateLimitError,
  ScheduleError,
  ServerError,
} from './errors.ts';
export type * from './generated/schemas.ts';
export type { Attempt } from './send.ts';
