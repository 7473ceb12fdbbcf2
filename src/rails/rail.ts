import type { Mode } from '../platform/mode.ts'
import { timeLimit } from '../platform/time-limit.ts'
/**
 * The contract between the product and an operator (rails.md section 1). Every answer is a value: a rail function throws
 * only for our own mistake. Amounts are whole UGX, times are UTC, deadlines are monotonic milliseconds.
 */

/** What one movement needs to travel. Stored before any call, never changed afterwards. */
export type Attempt = {
  /**
   * UUID version 4, one for each movement for life; the public `rail_reference`. An operator that wants another form gets
   * one that its adapter derives from this, the same at every call.
   */
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
  /** Raw text for the phone's screen, the merchant's name; the adapter cleans it and adds the id (rails.md 3.11). */
  note: string
  /** Where the operator may call back about it, below the contract's own callback address; null when it may not. */
  callbackPath: string | null
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
  operation: 'ready' | 'submit' | 'status' | 'confirm' | 'callback' | 'statement'
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
  /**
   * Bytes may have reached the other side and no conclusive answer came back. Never a failure. `refused`: the operator wrote
   * a refusal that is not conclusive by itself; it holds once questions confirm it (rails.md 3.6).
   */
  | { kind: 'ambiguous'; evidence: Evidence; refused?: Refused<Failure> }

/** A refusal in an operator's own word. `ourFault`: about our account or settings, not about this movement. */
export type Refused<Failure> = { reason: Failure; operatorCode: string; ourFault: boolean }

export type Status<Failure> =
  | {
      kind: 'succeeded'
      railTransactionId: string | null
      /** Null where the operator does not say: the contract's `echoes` tell which it must. */
      amount: number | null
      currency: string | null
      phone: string | null
      externalId: string | null
      evidence: Evidence
    }
  | { kind: 'failed'; reason: Failure; operatorCode: string; evidence: Evidence }
  | { kind: 'pending'; evidence: Evidence }
  /** The operator does not know the reference now. Ends nothing. */
  | { kind: 'not_found'; evidence: Evidence }
  /** Anything that cannot be read as one of the above. Ends nothing. `contradicts`: the answer contradicts itself, and how. */
  | { kind: 'unknown'; evidence: Evidence; contradicts?: string }

/** The holder of a wallet: information before a payout, never a condition for it. */
export type Holder = { active: boolean; name: string | null } | { active: 'unknown'; evidence: Evidence }

/** What an operator says it holds for us. `available` is in whole units of `currency`. */
export type Float =
  | { available: number; currency: string; at: Date }
  | { available: 'unknown'; evidence: Evidence }

/** What a status answer repeats of the request. */
export type Echo = 'amount' | 'currency' | 'party' | 'externalId'
export const ECHOES = ['amount', 'currency', 'party', 'externalId'] as const satisfies readonly Echo[]
export type RailSide = 'collect' | 'disburse'

/** One contract with an operator, as far as the product needs to know it (rails.md 3.2 and 9). */
export type Installation = {
  id: string
  sides: readonly RailSide[]
  /** Takes new movements of its sides; the others only answer about those they took. */
  active: boolean
  currency: string
  /**
   * What its status answers repeat. Money moves only when all of it agrees; where nothing is repeated, on the operator's own
   * transaction number, which the statement confirms later (rails.md 5, leg 4).
   */
  echoes: readonly Echo[]
  /** Where it calls back: at an address for each attempt, at one address for all, or never. */
  callbacks: 'each attempt' | 'one address' | 'none'
  /** How many questions a second it answers; null: as many as are asked. */
  statusPerSecond: number | null
  /** Whether it may be asked less often while its callbacks come reliably. */
  thinLadder: boolean
  /** The balance below which a person hears of it; null: a day of average outflow. */
  floatAlarmAmount: number | null
  /**
   * For how long after its first post a movement that the operator does not know is posted again, in ms. Absent: a minute for
   * money in, a day for money out.
   */
  repostMs?: { readonly [side in RailSide]: number }
}

export type Deadline = {
  signal: AbortSignal
  atMs: number
  /**
   * Whether it has passed, by every clock that counts. Asked before the first byte leaves: a process that stood still may go on
   * before the signal comes.
   */
  isOver(): boolean
}

/** A moment `ms` milliseconds from now after which the caller no longer waits. */
export function deadlineIn(ms: number): Deadline {
  const atMs = performance.now() + ms
  return { signal: timeLimit(ms), atMs, isOver: () => performance.now() >= atMs }
}

export interface Movement<Failure> {
  submit(attempt: Attempt, deadline: Deadline): Promise<Submitted<Failure>>
  /** A rail that asks nobody may answer at once: a promise for each of its movements would be a good part of their cost. */
  status(attempt: Attempt, deadline: Deadline): Promise<Status<Failure>> | Status<Failure>
}

/** A rail has only the functions it supports; the others are absent, never stubs that throw. */
export interface Rail {
  readonly name: string
  /** True: may never see a live movement. */
  readonly simulated: boolean
  /** Every contract that this process can ask; the active ones first. */
  readonly installations: readonly Installation[]
  readonly collect?: Movement<ChargeFailure>
  readonly disburse?: Movement<PayoutFailure>
  readonly lookupAccountHolder?: (phone: string, deadline: Deadline) => Promise<Holder>
  readonly balance?: (side: RailSide, deadline: Deadline, installation: string) => Promise<Float>
  /**
   * Whether it can serve now, by configuration, breaker and token in memory; makes no network call of its own. Without
   * `installation` it answers for the one that takes new movements of this side, and names it; with one, for that one.
   */
  readiness(
    side: RailSide,
    deadline: Deadline,
    installation?: string,
  ): Promise<{ kind: 'ready'; installation: string } | Unavailable>
}

export type Channel = 'op1_momo' | 'op2_money' | 'card'
export const CHANNELS = ['op1_momo', 'op2_money', 'card'] as const satisfies readonly Channel[]
/** The only channels that live money may use (spec 1.5). */
export const LIVE_CHANNELS: readonly Channel[] = ['op1_momo']

/** Mode and channel -> rail, built once by the composition root. A missing entry means that no rail is configured. */
export type Rails = { readonly [mode in Mode]: { readonly [channel in Channel]?: Rail } }
