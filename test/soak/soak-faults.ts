import { type FaultParams, RULE_FAULTS, type RuleFault } from '../../emulator/faults.ts'
import type { Rule } from '../../emulator/rules.ts'

/** How often an operator of the soak misbehaves, in parts of all payments, and how. */
const SHARES: readonly [share: number, fault: RuleFault, params?: FaultParams][] = [
  [0.03, 'dropBeforeRead'],
  [0.03, 'dropAfterRead'],
  [0.04, 'dropAfterAccept'],
  [0.01, 'silence', { record: true }],
  [0.01, 'silence', { record: false }],
  [0.02, 'http', { status: 503, record: true }],
  [0.02, 'http', { status: 502, record: false }],
  [0.01, 'http500', { code: 'NOT_ENOUGH_FUNDS', record: true }],
  [0.01, 'http500', { code: 'PAYEE_NOT_FOUND', record: false }],
  [0.01, 'http500', { code: 'NOT_ALLOWED', record: false }],
  [0.01, 'htmlWith200', { record: true }],
  [0.01, 'garbage', { record: true }],
  [0.01, 'truncate', { where: 'headers', record: true }],
  [0.01, 'truncate', { where: 'body', record: false }],
  [0.01, 'resetAfterRead', { record: true }],
  [0.01, 'redirect', { record: false }],
  [0.01, 'conflictOnFirst'],
  [0.01, 'tooMany', { retryAfter: 1 }],
  [0.005, 'quota', { seconds: 1 }],
  [0.01, 'http400', { code: 'VALIDATION_ERROR' }],
  [0.02, 'statusLag', { ms: 1500 }],
  [0.02, 'flap'],
  [0.05, 'noCallback'],
  [0.02, 'duplicateCallback', { times: 3 }],
  [0.02, 'lyingCallback', { status: 'SUCCESSFUL' }],
  [0.01, 'strangerCallback'],
  [0.01, 'putCallback'],
  [0.01, 'reasonAsObject'],
  [0.01, 'numbersAsNumbers'],
]
/** Ends that the customer or the operator choose, among payments without a fault. */
const ENDS: readonly [share: number, reason: string][] = [
  [0.03, 'NOT_ENOUGH_FUNDS'],
  [0.02, 'APPROVAL_REJECTED'],
  [0.01, 'EXPIRED'],
]
const DECIDED_MS = 200

/** The rules of an operator in a soak, in an order that the seed of its chances repeats. */
export function soakRules(): Rule[] {
  const faults = SHARES.map(([probability, fault, params = {}]): Rule => {
    const rule: Rule = RULE_FAULTS[fault](params)
    return { ...decided('SUCCESSFUL'), ...rule, match: { probability } }
  })
  const ends = ENDS.map(([probability, reason]): Rule => ({ match: { probability }, ...decided('FAILED', reason) }))
  return [...faults, ...ends, decided('SUCCESSFUL')]
}

const decided = (status: 'SUCCESSFUL' | 'FAILED', reason?: string): Rule => ({
  resolve: { afterMs: DECIDED_MS, status, ...(reason === undefined ? {} : { reason }) },
})
