import { adviceFor, type ErrorKind, type KnownErrorCode, type RetryAdvice } from './error-codes.ts'

export type ErrorFacts = {
  /** What is wrong, for a program. `no_answer` where the service could not be heard, `still_open` where a wait is over. */
  code: KnownErrorCode | 'no_answer' | 'still_open' | 'unreadable_answer' | (string & {})
  /** The HTTP status; undefined where there was no answer. */
  status: number | undefined
  /** What to do about it, for a person. */
  hint: string | undefined
  /** The member of the request at fault, such as `recipient.phone`. */
  field: string | undefined
  /** Quote it when you ask us. */
  requestId: string | undefined
  /** Whether and with which key to send it again. */
  retry: RetryAdvice
  retryAfterSeconds: number | undefined
  /** The key that every attempt of the call had: give it to the next call where `retry` is `same_key`. */
  idempotencyKey: string | undefined
  attempts: number
  /** Whether an attempt was not answered, so that it may have been done all the same. */
  mayBeDone: boolean
}

/** Everything that a call throws, but for what its own `signal` throws. */
export class GatewayError extends Error {
  readonly code: ErrorFacts['code']
  readonly status: number | undefined
  readonly hint: string | undefined
  readonly field: string | undefined
  readonly requestId: string | undefined
  readonly retry: RetryAdvice
  readonly retryAfterSeconds: number | undefined
  readonly idempotencyKey: string | undefined
  readonly attempts: number
  readonly mayBeDone: boolean

  constructor(text: string, facts: ErrorFacts, options?: { cause?: unknown }) {
    super(sentence(text, facts), options)
    this.name = new.target.name
    this.code = facts.code
    this.status = facts.status
    this.hint = facts.hint
    this.field = facts.field
    this.requestId = facts.requestId
    this.retry = facts.retry
    this.retryAfterSeconds = facts.retryAfterSeconds
    this.idempotencyKey = facts.idempotencyKey
    this.attempts = facts.attempts
    this.mayBeDone = facts.mayBeDone
  }
}

function sentence(text: string, { code, hint, requestId }: ErrorFacts): string {
  const tail = requestId === undefined ? code : `${code}, request ${requestId}`
  return `${text}${hint === undefined ? '' : ` - ${hint}`} (${tail})`
}

/** The request cannot be read, or a rule refuses its values. */
export class InvalidRequestError extends GatewayError {}
/** The key is missing, unknown, rotated or revoked. */
export class AuthenticationError extends GatewayError {}
/** The key may not do this, or not from here. */
export class PermissionError extends GatewayError {}
export class NotFoundError extends GatewayError {}
/** The key was used for another request, or the object is in a state that does not allow this. */
export class ConflictError extends GatewayError {}
/** Events behind this cursor are no longer kept: `hint` names the cursor to go on with. */
export class CursorExpiredError extends GatewayError {}
/** Too many requests: wait `retryAfterSeconds`. */
export class RateLimitError extends GatewayError {}
/** What is available does not cover amount and fee. */
export class InsufficientBalanceError extends GatewayError {}
/** The account, or this key, may not do this now: unverified, closed, frozen, paused, or at its limit of a day. */
export class AccountStateError extends GatewayError {}
/** The charge cannot be refunded; `already_refunded` among them. */
export class RefundRefusedError extends GatewayError {}
/** The service, an operator or a supplier is in trouble. A call that moves money may or may not have been done: repeat it with the same key. */
export class ServiceError extends GatewayError {}
/** No answer was heard. A call that moves money may or may not have been done: repeat it with the same key. */
export class ConnectionError extends GatewayError {}
/** No answer within `timeoutMs`. */
export class TimeoutError extends ConnectionError {}

/** It has not ended within the time that was given. Nobody knows yet how it will: it has not failed. */
export class StillOpenError<Open = unknown> extends GatewayError {
  /** As it was read last. */
  readonly last: Open

  constructor(text: string, facts: ErrorFacts, last: Open) {
    super(text, facts)
    this.last = last
  }
}

const CLASSES: Record<ErrorKind, typeof GatewayError> = {
  request: InvalidRequestError,
  authentication: AuthenticationError,
  permission: PermissionError,
  not_found: NotFoundError,
  conflict: ConflictError,
  cursor: CursorExpiredError,
  rate: RateLimitError,
  service: ServiceError,
  balance: InsufficientBalanceError,
  account: AccountStateError,
  refund: RefundRefusedError,
}

type Refused = Pick<ErrorFacts, 'requestId' | 'retryAfterSeconds' | 'idempotencyKey' | 'attempts' | 'mayBeDone'> & {
  status: number
  body: unknown
}

/** The error of a refusal. What is no refusal of the service's, such as a page of a proxy, is judged by its status. */
export function refusalOf({ body, ...answer }: Refused): GatewayError {
  const said = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>
  const text = textOf(said.error) ?? unreadable(answer.status)
  const code = textOf(said.code) ?? 'unreadable_answer'
  const { kind, retry } = adviceFor(answer.status, code, text)
  const facts = { code, hint: textOf(said.hint), field: textOf(said.field), retry }
  return new CLASSES[kind](text, { ...answer, ...facts, requestId: textOf(said.request_id) ?? answer.requestId })
}

/** Below 500 it is probably not the gateway that has answered. */
const unreadable = (status: number) =>
  `the answer has status ${status} and is none of the gateway's${status < 500 ? ': is baseUrl right?' : ''}`

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)

/** The facts of an error that no answer caused. */
export const ownFacts = (code: ErrorFacts['code'], facts: Partial<ErrorFacts> = {}): ErrorFacts => ({
  code,
  status: undefined,
  hint: undefined,
  field: undefined,
  requestId: undefined,
  retry: 'same_key',
  retryAfterSeconds: undefined,
  idempotencyKey: undefined,
  attempts: 1,
  mayBeDone: false,
  ...facts,
})
