import type { Operation } from './book.ts'
import type { Rule } from './rules.ts'

const SECOND = 1000
const fails = (reason: string, afterMs = SECOND): Rule => ({ resolve: { afterMs, status: 'FAILED', reason } })

/** Outcomes that the last two digits of a phone choose, the same on both sides up to 54 (rails.md 6.4). */
const BOTH: Record<string, Rule> = {
  '50': fails('INTERNAL_PROCESSING_ERROR'),
  '51': fails('APPROVAL_REJECTED'),
  '52': fails('EXPIRED'),
  '53': fails('EXPIRED', 180 * SECOND),
  '54': { initial: 'CREATED', resolve: { afterMs: 60 * SECOND, status: 'SUCCESSFUL' } },
}
const IN = [
  ...['PAYER_NOT_FOUND', 'PAYEE_NOT_ALLOWED_TO_RECEIVE', 'NOT_ALLOWED', 'NOT_ALLOWED_TARGET_ENVIRONMENT'],
  ...['INVALID_CALLBACK_URL_HOST', 'INVALID_CURRENCY', 'INTERNAL_PROCESSING_ERROR', 'SERVICE_UNAVAILABLE'],
  ...['COULD_NOT_PERFORM_TRANSACTION', 'TRANSFER_TYPE_UNKNOWN'],
]
const OUT = [
  ...['NOT_ENOUGH_FUNDS', 'PAYER_LIMIT_REACHED', 'PAYEE_NOT_FOUND', 'NOT_ALLOWED'],
  ...['NOT_ALLOWED_TARGET_ENVIRONMENT', 'INVALID_CALLBACK_URL_HOST', 'INVALID_CURRENCY'],
  ...['INTERNAL_PROCESSING_ERROR', 'SERVICE_UNAVAILABLE', 'TRANSFER_TYPE_UNKNOWN'],
]
const FIRST_WORD = 55

/** The scenario of a phone below `prefix`, or null. */
export function scenarioOf(prefix: string | null, phone: string, operation: Operation): Rule | null {
  const nn = lastTwo(prefix, phone)
  if (nn === null) return null
  const words = operation === 'transfer' ? OUT : IN
  const word = words[Number(nn) - FIRST_WORD]
  return BOTH[nn] ?? (word === undefined ? null : fails(word))
}

/** The operator's own refund scenarios are chosen by the reference to refund, "1" to "13" (the order is an assumption). */
export function refundScenario(refunds: string): Rule {
  const words = ['INTERNAL_PROCESSING_ERROR', 'APPROVAL_REJECTED', 'EXPIRED', ...OUT]
  return fails(words[Number(refunds) - 1] ?? 'RESOURCE_NOT_FOUND')
}

const STATUS_OF_WORD: Record<string, number> = {
  PAYER_NOT_FOUND: 400,
  PAYEE_NOT_FOUND: 400,
  COULD_NOT_PERFORM_TRANSACTION: 400,
  TRANSFER_TYPE_UNKNOWN: 400,
  SERVICE_UNAVAILABLE: 503,
}

/** The same word at once, instead of a 202 and a failure later: published clients saw both. */
export function syncRefusal(scenario: Rule): Rule {
  const { resolve } = scenario
  if (resolve === undefined || resolve === 'never' || resolve.reason === undefined) return scenario
  const { reason: code } = resolve
  if (code === 'EXPIRED' || code === 'APPROVAL_REJECTED') return scenario
  return { onSubmit: { http: { status: STATUS_OF_WORD[code] ?? 500, code }, record: false } }
}

/** The two digits of a phone after a prefix, or null. */
export const lastTwo = (prefix: string | null, phone: string): string | null =>
  prefix !== null && phone.startsWith(prefix) && phone.length === prefix.length + 2 ? phone.slice(-2) : null

/** What a look-up of the holder answers for a phone below `prefix`. */
export function holderOf(prefix: string | null, phone: string): { active: boolean } | { status: number; code: string } {
  switch (lastTwo(prefix, phone)) {
    case '50':
      return { status: 404, code: 'RESOURCE_NOT_FOUND' }
    case '51':
      return { active: false }
    case '52':
      return { status: 500, code: 'NOT_ALLOWED' }
    case '53':
      return { status: 500, code: 'NOT_ALLOWED_TARGET_ENVIRONMENT' }
    case '54':
      return { status: 500, code: 'INTERNAL_PROCESSING_ERROR' }
    case '55':
      return { status: 503, code: 'SERVICE_UNAVAILABLE' }
    default:
      return { active: true }
  }
}
