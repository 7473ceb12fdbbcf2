import { type FaultParams, RULE_FAULTS } from './faults.ts'
import type { Rule } from './rules.ts'
import { lastTwo } from './scenarios.ts'

const SECOND = 1000
/** How long a trouble of the whole operator lasts that a phone number called. */
const SHORT_MS = 10 * SECOND
const MINUTE_MS = 60 * SECOND

const unauthorized = (error: string) => ({
  http: { status: 401, body: JSON.stringify({ error }), headers: { 'content-type': 'application/json' } },
  record: false,
})
const once = { firstOnly: true }
const dropped = { wire: 'dropBeforeRead', record: false, ...once } as const

/** The faults of rails.md 6.5 by the last two digits of a phone, so that a demonstration needs no control plane. */
const FAULTS: Record<string, (params: FaultParams) => Rule> = {
  '01': RULE_FAULTS.slow,
  '02': () => ({ onSubmit: dropped, trouble: { name: 'refuse', forMs: SHORT_MS } }),
  '03': () => ({ onSubmit: dropped, trouble: { name: 'connectTimeout', forMs: SHORT_MS } }),
  '04': RULE_FAULTS.dropBeforeRead,
  '05': RULE_FAULTS.dropAfterRead,
  '06': RULE_FAULTS.dropAfterAccept,
  '07': RULE_FAULTS.http,
  '08': RULE_FAULTS.http500,
  '09': RULE_FAULTS.htmlWith200,
  '10': RULE_FAULTS.garbage,
  '11': RULE_FAULTS.truncate,
  '12': RULE_FAULTS.http400,
  '13': () => ({ onSubmit: { ...unauthorized('login_failed'), ...once } }),
  '14': () => ({ onSubmit: unauthorized('login_failed') }),
  '15': RULE_FAULTS.forbiddenIp,
  '16': RULE_FAULTS.quota,
  '17': RULE_FAULTS.tooMany,
  '18': RULE_FAULTS.conflictOnFirst,
  '19': () => ({
    onSubmit: { ...unauthorized('token_expired'), ...once },
    trouble: { name: 'tokenRevoked' },
  }),
  '20': () => ({ onSubmit: { ...unauthorized('login_failed'), ...once }, trouble: { name: 'tokenRevoked' } }),
  '21': () => ({
    onSubmit: { ...unauthorized('login_failed'), ...once },
    trouble: { name: 'tokenDown', params: { ms: SHORT_MS } },
  }),
  '22': RULE_FAULTS.noCallback,
  '23': RULE_FAULTS.lateCallback,
  '24': RULE_FAULTS.duplicateCallback,
  '25': RULE_FAULTS.callbackBeforeAnswer,
  '26': RULE_FAULTS.putCallback,
  '27': RULE_FAULTS.strangerCallback,
  '28': RULE_FAULTS.lyingCallback,
  '29': RULE_FAULTS.statusLag,
  '30': RULE_FAULTS.flap,
  '31': RULE_FAULTS.contradiction,
  '32': RULE_FAULTS.mismatch,
  '33': RULE_FAULTS.neverResolves,
  '34': RULE_FAULTS.lateSuccess,
  '35': RULE_FAULTS.reversal,
  '36': () => ({ trouble: { name: 'statusCap', params: { times: 1 }, forMs: MINUTE_MS } }),
  '37': () => ({ resolve: { afterMs: SECOND, status: 'FAILED', reason: 'NOT_ENOUGH_FUNDS' } }),
  '38': (params) => ({
    trouble: { name: 'walletInactive', params },
    resolve: { afterMs: SECOND, status: 'FAILED', reason: 'PAYEE_NOT_ALLOWED_TO_RECEIVE' },
  }),
  '39': () => ({ trouble: { name: 'kycDenied', forMs: MINUTE_MS } }),
  '40': () => ({ place: 'moved' }),
  '41': () => ({ onSubmit: { wire: 'dropAfterAccept', record: true }, trouble: { name: 'restart' } }),
  '42': RULE_FAULTS.executeTwice,
  '43': () => ({
    ...RULE_FAULTS.reasonAsObject(),
    resolve: { afterMs: SECOND, status: 'FAILED', reason: 'APPROVAL_REJECTED' },
  }),
  '44': RULE_FAULTS.numbersAsText,
  '45': RULE_FAULTS.unknownWord,
  '46': RULE_FAULTS.hugeBody,
  '47': RULE_FAULTS.redirect,
  '48': RULE_FAULTS.slowBody,
}

/** The fault that a phone below `prefix` calls, or null. */
export function faultOfPhone(prefix: string | null, phone: string): Rule | null {
  const nn = lastTwo(prefix, phone)
  return nn === null ? null : (FAULTS[nn]?.({ phone }) ?? null)
}
