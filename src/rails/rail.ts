import type { Mode } from '../platform/mode.ts'
import { timeLimit } from '../platform/time/time-limit.ts'
/**
 * The contract that the rail of every operator fulfils (rails.md section 1). Every answer is a value: a rail function throws
 * only for our own mistake. Amounts are whole UGX, times are UTC, deadlines are monotonic milliseconds.
 */

/** The data with which one movement travels. Stored before any call, never changed afterwards. */
export type Attempt = {
  /**
   * UUID version 4, one for each movement for life; the public `rail_reference`. Where an operator wants another form, its adapter
   * derives one from this, the same at every call.
   */
  reference: string
  /**
   * Our account at the operator that carries it. `submit` and `status` both go there, even if another installation takes new
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
  /** The path at which the operator may call back about it, below the installation's callback address; null when it may not. */
  callbackPath: string | null
  createdAt: Date
  /** Test mode only: how it ends, as its merchant's tests or the switch of the sandbox page have asked (rails.md 2.4). */
  sandboxOutcome?: PayoutFailure | 'succeeded'
  /** Test mode only: after so many seconds it ends, as its merchant's tests have asked. */
  sandboxSeconds?: number
}

export const CHARGE_FAILURES = ['insufficient_funds', 'user_cancelled', 'timeout', 'rail_rejected'] as const
export type ChargeFailure = (typeof CHARGE_FAILURES)[number]
export const PAYOUT_FAILURES = [...CHARGE_FAILURES, 'recipient_not_found', 'wallet_locked'] as const
export type PayoutFailure = (typeof PAYOUT_FAILURES)[number]

/** The stored evidence of an operator's answer, or of how the call failed. Contains no secret, no name and no full phone number. */
export type AnswerEvidence = {
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

/** Nothing was sent, or the operator proved that it did not take the movement. Safe to undo and to send again. */
export type Unavailable = {
  kind: 'unavailable'
  cure: 'wait' | 'person'
  why: string
  retryAfterSeconds: number
  evidence: AnswerEvidence
}

export type SubmitAnswer<Failure> =
  /** `repeated`: the operator had it already. `final`: the final answer, where it came at once. */
  | { kind: 'accepted'; repeated: boolean; evidence: AnswerEvidence; final?: StatusAnswer<Failure> }
  /** The operator definitely refused this movement. */
  | { kind: 'rejected'; reason: Failure; operatorCode: string; ourFault: boolean; evidence: AnswerEvidence }
  | Unavailable
  /**
   * Bytes may have reached the other side and no conclusive answer came back. Never a failure. `refused`: the operator wrote
   * a refusal that is not conclusive by itself; it holds once questions confirm it (rails.md 3.6).
   */
  | { kind: 'ambiguous'; evidence: AnswerEvidence; refused?: OperatorRefusal<Failure> }

/** A refusal, with the operator's own word. `ourFault`: it is about our account or settings, not about this movement. */
export type OperatorRefusal<Failure> = { reason: Failure; operatorCode: string; ourFault: boolean }

export type StatusAnswer<Failure> =
  | {
      kind: 'succeeded'
      railTransactionId: string | null
      /** Null where the operator does not repeat it; the installation's `echoes` list what it must repeat. */
      amount: number | null
      currency: string | null
      phone: string | null
      externalId: string | null
      evidence: AnswerEvidence
    }
  | { kind: 'failed'; reason: Failure; operatorCode: string; evidence: AnswerEvidence }
  | { kind: 'pending'; evidence: AnswerEvidence }
  /** The operator does not know the reference now. Ends nothing. */
  | { kind: 'not_found'; evidence: AnswerEvidence }
  /** An answer that cannot be read as one of the above. Ends nothing. `contradicts`: how the answer contradicts itself, if it does. */
  | { kind: 'unknown'; evidence: AnswerEvidence; contradicts?: string }

/** The holder of a wallet. It informs people before a payout and is never a condition for it. */
export type WalletHolder = { active: boolean; name: string | null } | { active: 'unknown'; evidence: AnswerEvidence }

/** The balance that an operator holds for us. `available` is in whole units of `currency`. */
export type OperatorFloat =
  | { available: number; currency: string; at: Date }
  | { available: 'unknown'; evidence: AnswerEvidence }

/** A value of the request that a status answer repeats. */
export type Echo = 'amount' | 'currency' | 'party' | 'externalId'
export const ECHOES = ['amount', 'currency', 'party', 'externalId'] as const satisfies readonly Echo[]
export type RailSide = 'collect' | 'disburse'
export const RAIL_SIDES = ['collect', 'disburse'] as const satisfies readonly RailSide[]

/** One of our accounts at an operator, with what the product needs to know of it (rails.md 3.2 and 9). */
export type Installation = {
  id: string
  sides: readonly RailSide[]
  /** Whether it takes new movements of its sides. An inactive one only answers questions about those that it took. */
  active: boolean
  currency: string
  /**
   * The values that its status answers repeat. Money moves only when all of them agree; where none is repeated, only with the
   * operator's transaction number, which the statement confirms later (rails.md 5, leg 4).
   */
  echoes: readonly Echo[]
  /** Whether it calls back at an address for each attempt, at one address for all, or never. */
  callbacks: 'each attempt' | 'one address' | 'none'
  /** How many questions a second it answers; null: no limit. */
  statusPerSecond: number | null
  /** Whether it may be asked less often while its callbacks come reliably. */
  thinLadder: boolean
  /** The balance below which an alarm is raised; null: a day of average outflow. */
  floatAlarmAmount: number | null
  /**
   * For how long (ms) after its first post a movement that the operator does not know is posted again. Absent: a minute for money in,
   * a day for money out.
   */
  repostMs?: { readonly [side in RailSide]: number }
}

export type CallDeadline = {
  signal: AbortSignal
  atMs: number
  /**
   * Whether it has passed, by every clock that counts. Must be asked before the first byte leaves: a process that stood still may go
   * on before the signal comes.
   */
  isOver(): boolean
}

/** Makes the deadline `ms` milliseconds from now, after which the caller no longer waits. */
export function deadlineIn(ms: number): CallDeadline {
  const atMs = performance.now() + ms
  return { signal: timeLimit(ms), atMs, isOver: () => performance.now() >= atMs }
}

export interface MovementRail<Failure> {
  submit(attempt: Attempt, deadline: CallDeadline): Promise<SubmitAnswer<Failure>>
  /** A rail without a network call may answer without a promise, which would be a good part of the cost of its movements. */
  status(attempt: Attempt, deadline: CallDeadline): Promise<StatusAnswer<Failure>> | StatusAnswer<Failure>
}

/** The connection to one operator. It has only the functions that it supports; the others are absent, never stubs that throw. */
export interface Rail {
  readonly name: string
  /** Whether it only simulates an operator; then it never gets a live movement. */
  readonly simulated: boolean
  /** Every installation that this process can ask, the active ones first. */
  readonly installations: readonly Installation[]
  readonly collect?: MovementRail<ChargeFailure>
  readonly disburse?: MovementRail<PayoutFailure>
  readonly lookupAccountHolder?: (phone: string, deadline: CallDeadline) => Promise<WalletHolder>
  readonly balance?: (side: RailSide, deadline: CallDeadline, installation: string) => Promise<OperatorFloat>
  /**
   * Checks whether it can serve now, by configuration, breaker and token in memory; makes no network call of its own. Checks the given
   * installation, or the one that takes new movements of this side, and returns its id.
   */
  readiness(
    side: RailSide,
    deadline: CallDeadline,
    installation?: string,
  ): Promise<{ kind: 'ready'; installation: string } | Unavailable>
}

export type Channel = 'op1_momo' | 'op2_money' | 'card'
export const CHANNELS = ['op1_momo', 'op2_money', 'card'] as const satisfies readonly Channel[]
/** The channel of live money, and of whatever names no channel: payouts, top-ups, the dashboard's own charges (spec 1.5). */
export const DEFAULT_CHANNEL = 'op1_momo' satisfies Channel

/** The rail of each mode and channel, built once by the composition root. A missing entry means that no rail is configured. */
export type Rails = { readonly [mode in Mode]: { readonly [channel in Channel]?: Rail } }
