import { hash } from 'node:crypto'
import { lastNine } from '../platform/text/phone.ts'
import type { Clock } from '../platform/time/clock.ts'
import {
  type AnswerEvidence,
  type Attempt,
  type ChargeFailure,
  ECHOES,
  type Installation,
  type MovementRail,
  type PayoutFailure,
  type Rail,
  type StatusAnswer,
  type WalletHolder,
} from './rail.ts'

// Numbers whose last nine digits make a movement fail (spec section 8); with every other number it succeeds.
const CHARGE_OUTCOMES: Record<string, ChargeFailure> = {
  '700000001': 'insufficient_funds',
  '700000002': 'user_cancelled',
  '700000003': 'timeout',
}

const PAYOUT_OUTCOMES: Record<string, PayoutFailure> = {
  '700000001': 'recipient_not_found',
  '700000002': 'wallet_locked',
  '700000003': 'timeout',
}
const SANDBOX_INSTALLATION: Installation = {
  id: 'sandbox',
  sides: ['collect', 'disburse'],
  active: true,
  currency: 'UGX',
  echoes: ECHOES,
  callbacks: 'none',
  statusPerSecond: null,
  thinLadder: false,
  floatAlarmAmount: null,
}
const INACTIVE_WALLET = '700000001'

/**
 * Makes the operator of test mode: pure functions, without timers, memory, network or randomness (rails.md section 2). Its
 * answers follow from the phone number and the age of the attempt on the given clock, so a killed process or a second worker
 * changes nothing.
 */
export function sandboxRail(clock: Clock, { outcomeSeconds, pays }: { outcomeSeconds: number; pays: boolean }): Rail {
  const evidence = (operation: AnswerEvidence['operation']): AnswerEvidence => ({
    at: clock.now(),
    operation,
    elapsedMs: 0,
    stage: 'answered',
  })
  function statusAt<Failure>(
    attempt: Attempt,
    reason: Failure | undefined,
    statusEvidence: AnswerEvidence,
  ): StatusAnswer<Failure> {
    const seconds = attempt.sandboxSeconds ?? outcomeSeconds
    if (clock.nowMs() - attempt.createdAt.getTime() < seconds * 1000)
      return { kind: 'pending', evidence: statusEvidence }
    return finalStatus(attempt, reason, statusEvidence)
  }
  const sandboxPayouts: MovementRail<PayoutFailure> = {
    submit: async () => ({ kind: 'accepted', repeated: false, evidence: evidence('submit') }),
    status: (attempt) => statusAt(attempt, reasonOf(attempt, PAYOUT_OUTCOMES), evidence('status')),
  }
  return {
    name: pays ? 'sandbox' : 'sandbox without payouts',
    simulated: true,
    installations: [SANDBOX_INSTALLATION],
    collect: {
      submit: async () => ({ kind: 'accepted', repeated: false, evidence: evidence('submit') }),
      status: (attempt) => statusAt(attempt, reasonOf(attempt, CHARGE_OUTCOMES), evidence('status')),
    },
    ...(pays ? { disburse: sandboxPayouts, lookupAccountHolder: lookUpSandboxWallet } : {}),
    readiness: async () => ({ kind: 'ready', installation: 'sandbox' }),
  }
}

/** The reason why this attempt fails: what was asked for goes before what its number says. Undefined: it succeeds. */
function reasonOf<Failure extends PayoutFailure>(
  { sandboxOutcome, phone }: Attempt,
  byNumber: Record<string, Failure>,
): Failure | undefined {
  if (sandboxOutcome === 'succeeded') return undefined
  // Only reasons of its own side are taken for an attempt.
  return (sandboxOutcome as Failure | undefined) ?? byNumber[lastNine(phone)]
}

function finalStatus<Failure>(
  attempt: Attempt,
  reason: Failure | undefined,
  evidence: AnswerEvidence,
): StatusAnswer<Failure> {
  if (reason) return { kind: 'failed', reason, operatorCode: String(reason), evidence }
  return {
    kind: 'succeeded',
    railTransactionId: deriveTransactionNumber(attempt.reference),
    amount: attempt.amount,
    currency: attempt.currency,
    phone: attempt.phone,
    externalId: attempt.publicId,
    evidence,
  }
}

/** Returns the holder of a sandbox wallet (spec section 8; G16). */
async function lookUpSandboxWallet(phone: string): Promise<WalletHolder> {
  const active = lastNine(phone) !== INACTIVE_WALLET
  return { active, name: active ? `SANDBOX HOLDER ${phone.slice(-4)}` : null }
}

/** Derives a number of decimal digits from the reference, so that statements and receipts look as in live mode. */
function deriveTransactionNumber(reference: string): string {
  const digest = hash('sha256', reference, 'hex')
  return String(10_000_000_000 + (Number.parseInt(digest.slice(0, 12), 16) % 89_999_999_999))
}
