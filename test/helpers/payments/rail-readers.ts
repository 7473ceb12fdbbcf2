import type {
  AnswerEvidence,
  ChargeFailure,
  PayoutFailure,
  StatusAnswer,
  SubmitAnswer,
  Unavailable,
  WalletHolder,
} from '../../../src/rails/rail.ts'

// How a rail translates the answers of the operator in test/fakes.

const REASONS: Record<string, ChargeFailure> = {
  NOT_ENOUGH_FUNDS: 'insufficient_funds',
  APPROVAL_REJECTED: 'user_cancelled',
  EXPIRED: 'timeout',
}
const PAYOUT_REASONS: Record<string, PayoutFailure> = {
  PAYEE_NOT_FOUND: 'recipient_not_found',
  PAYEE_LOCKED: 'wallet_locked',
  EXPIRED: 'timeout',
}
export type Reasons<Failure> = (code: string) => Failure
export const chargeReason: Reasons<ChargeFailure> = (code) => REASONS[code] ?? 'rail_rejected'
export const payoutReason: Reasons<PayoutFailure> = (code) => PAYOUT_REASONS[code] ?? 'rail_rejected'

/** How far a request got, and its answer. */
export type Heard = { status: number; body: any; left: boolean; transport?: string; elapsedMs: number }

export const unavailable = (cure: Unavailable['cure'], why: string, evidence: AnswerEvidence): Unavailable => ({
  kind: 'unavailable',
  cure,
  why,
  retryAfterSeconds: 7,
  evidence,
})

/** If nothing was sent, or the operator itself says that it took nothing, the result is clean. Otherwise it is ambiguous. */
export function readSubmit<Failure>(
  { status, body, left }: Heard,
  evidence: AnswerEvidence,
  reasonOf: Reasons<Failure>,
): SubmitAnswer<Failure> {
  if (!left) return unavailable('wait', 'nobody at its address', evidence)
  if (status === 202) return { kind: 'accepted', repeated: false, evidence }
  if (status === 409) return { kind: 'accepted', repeated: true, evidence }
  if (status === 503 && body?.code === 'NOT_TAKEN') return unavailable('wait', 'refused to serve', evidence)
  if (status === 403) return unavailable('person', 'account barred', evidence)
  if (status !== 400) return { kind: 'ambiguous', evidence }
  const operatorCode = String(body?.code)
  return { kind: 'rejected', reason: reasonOf(operatorCode), operatorCode, ourFault: false, evidence }
}

export function readStatus<Failure>(
  { status, body }: Heard,
  evidence: AnswerEvidence,
  reasonOf: Reasons<Failure>,
): StatusAnswer<Failure> {
  if (status === 404) return { kind: 'not_found', evidence }
  if (status !== 200) return { kind: 'unknown', evidence }
  if (body?.status === 'PENDING') return { kind: 'pending', evidence }
  if (body?.status === 'FAILED')
    return { kind: 'failed', reason: reasonOf(body.reason), operatorCode: body.reason, evidence }
  if (body?.status !== 'SUCCESSFUL') return { kind: 'unknown', evidence }
  const { amount, currency, phone, external_id: externalId, transaction } = body
  return { kind: 'succeeded', railTransactionId: transaction, amount, currency, phone, externalId, evidence }
}

export const readHolder = ({ status, body }: Heard, evidence: AnswerEvidence): WalletHolder =>
  status === 200 && typeof body?.active === 'boolean'
    ? { active: body.active, name: body.name }
    : { active: 'unknown', evidence }
