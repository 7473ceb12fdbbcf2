import { createHash } from 'node:crypto'
import type { Clock } from '../platform/clock.ts'
import { lastNine } from '../platform/phone.ts'
import type { Attempt, ChargeFailure, Evidence, Rail, Status } from './rail.ts'

// Spec section 8: the last nine digits decide; every other number succeeds.
const CHARGE_OUTCOMES: Record<string, ChargeFailure> = {
  '700000001': 'insufficient_funds',
  '700000002': 'user_cancelled',
  '700000003': 'timeout',
}

/**
 * The operator of test mode: pure functions, no timers, no memory, no network, no chance (rails.md section 2). What it
 * answers follows from the phone number and from the age of the attempt on the clock given, so a killed process or a
 * second worker changes nothing.
 */
export function sandboxRail(clock: Clock, outcomeSeconds: number): Rail {
  const evidence = (operation: Evidence['operation']): Evidence => ({
    at: clock.now(),
    operation,
    elapsedMs: 0,
    stage: 'answered',
  })
  return {
    name: 'sandbox',
    simulated: true,
    collect: {
      submit: async () => ({ kind: 'accepted', repeated: false, evidence: evidence('submit') }),
      status: async (attempt) => chargeStatus(attempt, clock.nowMs(), outcomeSeconds, evidence('status')),
    },
    readiness: async () => ({ kind: 'ready', installation: 'sandbox' }),
  }
}

function chargeStatus(
  attempt: Attempt,
  nowMs: number,
  outcomeSeconds: number,
  evidence: Evidence,
): Status<ChargeFailure> {
  if (nowMs - attempt.createdAt.getTime() < outcomeSeconds * 1000) return { kind: 'pending', evidence }
  const reason = CHARGE_OUTCOMES[lastNine(attempt.phone)]
  if (reason) return { kind: 'failed', reason, operatorCode: reason, evidence }
  return {
    kind: 'succeeded',
    railTransactionId: transactionNumber(attempt.reference),
    amount: attempt.amount,
    currency: attempt.currency,
    phone: attempt.phone,
    externalId: attempt.publicId,
    evidence,
  }
}

/** Decimal digits made from the reference, so that statements and receipts look as they will in live. */
function transactionNumber(reference: string): string {
  const digest = createHash('sha256').update(reference).digest()
  return String(10_000_000_000 + (digest.readUIntBE(0, 6) % 89_999_999_999))
}
