/**
 * The caller's mistake, thrown on the line of the rule it breaks, with the exact text of the contract. api/http/errors.ts turns it into an
 * answer. `stored`: whether the answer is kept under the Idempotency-Key (contract.md 3 i): domain refusals are, faults of form, rate and
 * service are not.
 */
export class Refusal extends Error {
  readonly status: number
  readonly code: string
  readonly stored: boolean
  readonly retryAfterSeconds: number | null
  /** What the caller can do about it, when the fixed text does not say so; else null. */
  readonly hint: string | null
  /** The member of the request that is at fault, such as `recipient.phone`; null where it is none or several. */
  readonly field: string | null

  constructor(
    status: number,
    code: string,
    message: string,
    options: {
      stored?: boolean
      retryAfterSeconds?: number | null
      hint?: string | null
      field?: string | null
    } = {},
  ) {
    // Without a stack, which is never read and costs a refused request more than its checks.
    const stackTraceLimit = Error.stackTraceLimit
    Error.stackTraceLimit = 0
    super(message)
    Error.stackTraceLimit = stackTraceLimit
    this.status = status
    this.code = code
    this.stored = options.stored ?? false
    this.retryAfterSeconds = options.retryAfterSeconds ?? null
    this.hint = options.hint ?? null
    this.field = options.field ?? null
  }

  /** The same refusal as one of this member, where what refused does not know in which it was written. */
  about(field: string): Refusal {
    const { status, code, message, stored, retryAfterSeconds, hint } = this
    return new Refusal(status, code, message, { stored, retryAfterSeconds, hint, field })
  }
}

/** 400 `invalid request: ...`: a body or query that cannot be read. Never stored. `field`: the member at fault. */
export const invalidRequest = (problem: string, field: string | null = null) =>
  new Refusal(400, 'bad_request', `invalid request: ${problem}`, { field })

/** 413: the body is over its limit. Never stored. */
export const bodyTooLarge = () => new Refusal(413, 'payload_too_large', 'invalid request: body too large')

type RefusalFacts = { hint?: string | null; field?: string | null }

/** 400 with the generic code and a text of its own (headers, query parameters). Never stored. */
export const badRequest = (message: string, facts: RefusalFacts = {}) => new Refusal(400, 'bad_request', message, facts)

/** 400 by a rule of the business. Stored under the key. */
export const domainRefusal = (code: string, message: string, facts: RefusalFacts = {}) =>
  new Refusal(400, code, message, { stored: true, ...facts })

/** 404 of a read by id: the same answer for objects that are absent, of another merchant or of the other mode (spec 1.3). */
export const notFound = (noun: string) => new Refusal(404, 'not_found', `${noun} not found`, { stored: true })

/** 503: the service has too much to do, or its database is away. The request is safe to repeat with the same key. */
export class TooBusy extends Refusal {
  constructor(retryAfterSeconds: number) {
    const message = 'service temporarily unavailable - retry with the same Idempotency-Key'
    super(503, 'unavailable', message, { retryAfterSeconds })
  }
}

export const unavailable = (retryAfterSeconds = 1) => new TooBusy(retryAfterSeconds)
