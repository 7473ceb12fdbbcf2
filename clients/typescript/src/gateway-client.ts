export type { LastResponse, RequestOptions, WithResponse } from './client.ts'
export type { KnownErrorCode, RetryAdvice } from './error-codes.ts'
export {
  AccountStateError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  CursorExpiredError,
  type ErrorFacts,
  GatewayError,
  InsufficientBalanceError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  RefundRefusedError,
  ServiceError,
  StillOpenError,
  TimeoutError,
} from './errors.ts'
export type { EventStream, StreamItem, StreamOptions } from './event-stream.ts'
export type { EventName, EventOf, GatewayEvent, NumberedEvent } from './events.ts'
export { Gateway, type GatewayOptions } from './gateway.ts'
export type * from './generated/types.gen.ts'
export type { List } from './pages.ts'
export type { Fetch, FetchAnswer } from './transport.ts'
export { VERSION } from './version.ts'
export type { WaitOptions } from './wait.ts'
export {
  type HeadersLike,
  SignatureError,
  type SignatureFault,
  type VerifyOptions,
  verifyWebhook,
} from './webhooks-verify.ts'
