/**
 * The contract between the product and an operator (rails.md section 1). Every answer is a value: a rail function throws
 * only for our own mistake. Amounts are whole UGX, times are UTC, deadlines are monotonic milliseconds.
 */

/** What one movement needs to travel. Stored before any call, never changed afterwards. */
export type Attempt = {
  /** UUID version 4, one for each movement for life; the public `rail_reference`. */
  reference: string
  /**
   * The contract with the operator that carries it. `submit` and `status` both go there, even if another one takes new
   * movements by now, because a reference is known only where it was posted.
   */
  installation: string
  /** `txn_...` or `pout_...`, shown by the operator in its own history. */
  publicId: string
  amount: number
  currency: 'UGX'
  /** Digits, country code first. */
  phone: string
  /** Raw text for the phone's screen; the adapter cleans it. */
  note: string
  createdAt: Date
  /** Test mode only: what the switch of the sandbox page wrote on the payout (rails.md 2.4). */
  sandboxOutcome?: PayoutFailure
}

export const CHARGE_FAILURES = ['insufficient_funds', 'user_cancelled', 'timeout', 'rail_rejected'] as const
export type ChargeFailure = (typeof CHARGE_FAILURES)[number]
export const PAYOUT_FAILURES = [...CHARGE_FAILURES, 'recipient_not_found', 'wallet_locked'] as const
export type PayoutFailure = (typeof PAYOUT_FAILURES)[number]

/** What an operator answered, or how the call failed. Contains no secret, no name and no full phone number. */
export type Evidence = {
  at: Date
  operation: 'ready' | 'submit' | 'status' | 'confirm'
  elapsedMs: number
  /** How far the request got. */
  stage: 'gate' | 'connect' | 'sent' | 'answered'
  httpStatus?: number
  operatorCode?: string
  transport?: string
  bodySha256?: string
  bodyHead?: string
}

/** Nothing was sent, or the operator proved that it did not take it. Safe to undo and to send again. */
export type Unavailable = {
  kind: 'unavailable'
  cure: 'wait' | 'person'
  why: string
  retryAfterSeconds: number
  evidence: Evidence
}

export type Submitted<Failure> =
  /** `repeated`: the operator had it already. `final`: it answered finally at once. */
  | { kind: 'accepted'; repeated: boolean; evidence: Evidence; final?: Status<Failure> }
  /** The operator definitely refused this movement. */
  | { kind: 'rejected'; reason: Failure; operatorCode: string; ourFault: boolean; evidence: Evidence }
  | Unavailable
  /** Bytes may have reached the other side and no conclusive answer came back. Never a failure. */
  | { kind: 'ambiguous'; evidence: Evidence }

export type Status<Failure> =
  | {
      kind: 'succeeded'
      railTransactionId: string | null
      amount: number
      currency: string
      phone: string
      externalId: string
      evidence: Evidence
    }
  | { kind: 'failed'; reason: Failure; operatorCode: string; evidence: Evidence }
  | { kind: 'pending'; evidence: Evidence }
  /** The operator does not know the reference now. Ends nothing. */
  | { kind: 'not_found'; evidence: Evidence }
  /** Anything that cannot be read as one of the above. Ends nothing. */
  | { kind: 'unknown'; evidence: Evidence }

/** The holder of a wallet: information before a payout, never a condition for it. */
export type Holder = { active: boolean; name: string | null } | { active: 'unknown'; evidence: Evidence }

export type Deadline = { signal: AbortSignal; atMs: number }

/** A moment `ms` milliseconds from now after which the caller no longer waits. */
export const deadlineIn = (ms: number): Deadline => ({
  signal: AbortSignal.timeout(ms),
  atMs: performance.now() + ms,
})

export interface Movement<Failure> {
  submit(attempt: Attempt, deadline: Deadline): Promise<Submitted<Failure>>
  status(attempt: Attempt, deadline: Deadline): Promise<Status<Failure>>
}

/** A rail has only the functions it supports; the others are absent, never stubs that throw. */
export interface Rail {
  readonly name: string
  /** True: may never see a live movement. */
  readonly simulated: boolean
  readonly collect?: Movement<ChargeFailure>
  readonly disburse?: Movement<PayoutFailure>
  readonly lookupAccountHolder?: (phone: string, deadline: Deadline) => Promise<Holder>
  /**
   * Whether it can serve now, by configuration, breaker and token in memory; makes no network call of its own. Without
   * `installation` it answers for the one that takes new movements of this side, and names it; with one, for that one.
   */
  readiness(
    side: 'collect' | 'disburse',
    deadline: Deadline,
    installation?: string,
  ): Promise<{ kind: 'ready'; installation: string } | Unavailable>
}

export type Channel = 'op1_momo' | 'op2_money' | 'card'
export const CHANNELS = ['op1_momo', 'op2_money', 'card'] as const satisfies readonly Channel[]
/** The only channels that live money may use (spec 1.5). */
export const LIVE_CHANNELS: readonly Channel[] = ['op1_momo']

/** Mode and channel -> rail, built once by the composition root. A missing entry means that no rail is configured. */
export type Rails = { readonly [mode in 'test' | 'live']: { readonly [channel in Channel]?: Rail } }
