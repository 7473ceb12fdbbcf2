import type { RailSide, Refused, Submitted, Unavailable } from '../rail.ts'
import { bodyOf, codeOf, quotaSeconds, retryAfter } from './answers.ts'
import { isKnownReason, isOwnAccount, type ReasonOverrides, reasonFor } from './reasons.ts'
import { type Heard, neverLeft } from './transport.ts'

/** The closed list of reasons that a merchant may read (rails.md 3.8 rule 4). */
export const WHY = {
  notConfigured: 'rail not configured',
  credentials: 'credentials refused',
  product: 'product not enabled',
  address: 'address not allow-listed',
  barred: 'account barred',
  settings: 'operator configuration',
} as const

/** The meaning of an answer to a submit, before its evidence is attached (rails.md 3.6). */
export type Verdict<Failure> =
  | { kind: 'accepted'; repeated: boolean }
  | { kind: 'rejected'; reason: Failure; operatorCode: string; ourFault: boolean; alarm: string | null }
  | (Pick<Unavailable, 'kind' | 'cure' | 'why' | 'retryAfterSeconds'> & { alarm: string | null })
  | { kind: 'ambiguous'; alarm: string | null }
  /** The token was refused: the call is repeated with another token. */
  | { kind: 'unauthorized' }
  /** A refusal written as an error of the server: one question tells whether it holds. */
  | { kind: 'confirm'; refused: Refused<Failure>; alarm: string | null }

// Faults of our own settings that the operator reports as an error of its server.
const OUR_SETTINGS = new Set([
  'NOT_ALLOWED',
  'NOT_ALLOWED_TARGET_ENVIRONMENT',
  'INVALID_CURRENCY',
  'INVALID_CALLBACK_URL_HOST',
])
// Refusals of the movement that the operator reports as an error of its server.
const LOGICAL = new Set([
  'PAYER_NOT_FOUND',
  'PAYEE_NOT_FOUND',
  'NOT_ENOUGH_FUNDS',
  'PAYER_LIMIT_REACHED',
  'PAYEE_LIMIT_REACHED',
  'PAYEE_NOT_ALLOWED_TO_RECEIVE',
  'SENDER_ACCOUNT_NOT_ACTIVE',
])
const PARTIES = new Set(['PAYER_NOT_FOUND', 'PAYEE_NOT_FOUND'])

const WAIT_SECONDS = 5
const AFTER_TOO_MANY_SECONDS = 5
const PERSON_SECONDS = 60

const wait = (retryAfterSeconds: number, alarm: string | null = null) =>
  ({ kind: 'unavailable', cure: 'wait', why: WHY.settings, retryAfterSeconds, alarm }) as const
const person = (why: string, alarm: string) =>
  ({ kind: 'unavailable', cure: 'person', why, retryAfterSeconds: PERSON_SECONDS, alarm }) as const
const unclear = (alarm: string | null = null) => ({ kind: 'ambiguous', alarm }) as const

type Side<S extends RailSide> = { side: S; overrides: ReasonOverrides }
type FailureOf<S extends RailSide> = ReturnType<typeof reasonFor<S>>['reason']

/** Parses the answer to a money POST. Whatever is not proven is ambiguous. */
export function readSubmit<S extends RailSide>(heard: Heard, context: Side<S>): Verdict<FailureOf<S>> {
  if (heard.status === null) return readSilence(heard)
  const code = codeOf(bodyOf(heard))
  switch (heard.status) {
    case 202:
      return { kind: 'accepted', repeated: false }
    case 409:
      return { kind: 'accepted', repeated: true }
    case 400:
      return readBadRequest(code, context)
    case 401:
      return { kind: 'unauthorized' }
    case 403:
      return readForbidden(heard, code)
    case 404:
      return code !== null && PARTIES.has(code) ? readBadRequest(code, context) : notServed(heard)
    case 405:
    case 411:
      return notServed(heard)
    case 429:
      return wait(retryAfter(heard, AFTER_TOO_MANY_SECONDS))
    case 500:
      return readServerError(code, context)
    default:
      return readOther(heard.status, code, context)
  }
}

/** Judges a call without a status line, where only the stage proves anything (rails.md 3.9). */
function readSilence(heard: Heard): Verdict<never> {
  const tls = /^(?:ERR_TLS|ERR_SSL|CERT_|EPROTO|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(heard.transport ?? '')
  const alarm = tls ? `TLS to the operator fails: ${heard.transport}` : null
  return neverLeft(heard) ? wait(WAIT_SECONDS, alarm) : unclear(alarm)
}

const notServed = ({ status }: Heard) =>
  person(WHY.product, `the operator answers ${status} to a payment: wrong path or product`)

function readBadRequest<S extends RailSide>(
  code: string | null,
  { side, overrides }: Side<S>,
): Verdict<FailureOf<S>> {
  if (code !== null && isOwnAccount(side, code))
    return person(WHY.barred, `the operator says ${code} of our account`)
  if (code !== null && PARTIES.has(code)) return refusal({ side, overrides }, code, false)
  return refusal({ side, overrides }, code ?? 'BAD_REQUEST', true)
}

function refusal<S extends RailSide>(
  { side, overrides }: Side<S>,
  operatorCode: string,
  ourFault: boolean,
): Extract<Verdict<FailureOf<S>>, { kind: 'rejected' }> {
  const translated = reasonFor(side, operatorCode, overrides)
  const reason = ourFault ? ('rail_rejected' as FailureOf<S>) : translated.reason
  const alarm = ourFault || translated.alarm ? `the operator refused a payment: ${operatorCode}` : null
  return { kind: 'rejected', reason, operatorCode, ourFault, alarm }
}

function readForbidden(heard: Heard, code: string | null): Verdict<never> {
  const quota = quotaSeconds(heard)
  if (quota !== null) return wait(quota, 'the call quota of the subscription is used up')
  if (/FORBIDDEN.?IP/i.test(code ?? ''))
    return person(WHY.address, 'our address is not on the allow-list of the operator (FORBIDDEN IP)')
  return person(WHY.product, 'the operator forbids the call: firewall, or the product is not granted')
}

function readServerError<S extends RailSide>(
  code: string | null,
  { side, overrides }: Side<S>,
): Verdict<FailureOf<S>> {
  if (code === null || !(OUR_SETTINGS.has(code) || LOGICAL.has(code))) return unclear()
  const translated = reasonFor(side, code, overrides)
  const ourFault = OUR_SETTINGS.has(code) || isOwnAccount(side, code)
  const refused = {
    reason: ourFault ? ('rail_rejected' as FailureOf<S>) : translated.reason,
    operatorCode: code,
    ourFault,
  }
  const alarm = ourFault || translated.alarm ? `the operator refused a payment: ${code}` : null
  return { kind: 'confirm', refused, alarm }
}

function readOther<S extends RailSide>(
  status: number,
  code: string | null,
  context: Side<S>,
): Verdict<FailureOf<S>> {
  if (status >= 300 && status < 400) return unclear(`the operator redirects payments (${status})`)
  if (status < 400 || status >= 500 || code === null || !isKnownReason(code)) return unclear()
  if (isOwnAccount(context.side, code)) return person(WHY.barred, `the operator says ${code} of our account`)
  return refusal(context, code, OUR_SETTINGS.has(code))
}

/** The verdicts that end a submit. */
export type Decided<Failure> = Exclude<Verdict<Failure>, { kind: 'unauthorized' } | { kind: 'confirm' }>

/** Builds the answer to the caller of `submit`. */
export function submitted<Failure>(
  verdict: Decided<Failure>,
  evidence: Submitted<Failure>['evidence'],
  refused?: Refused<Failure>,
): Submitted<Failure> {
  switch (verdict.kind) {
    case 'accepted':
      return { kind: 'accepted', repeated: verdict.repeated, evidence }
    case 'rejected': {
      const { reason, operatorCode, ourFault } = verdict
      return { kind: 'rejected', reason, operatorCode, ourFault, evidence }
    }
    case 'unavailable': {
      const { cure, why, retryAfterSeconds } = verdict
      return { kind: 'unavailable', cure, why, retryAfterSeconds, evidence }
    }
    case 'ambiguous':
      return { kind: 'ambiguous', evidence, ...(refused ? { refused } : {}) }
  }
}
