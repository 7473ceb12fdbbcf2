import type { OperatorRefusal, RailSide, SubmitAnswer, Unavailable } from '../rail.ts'
import { parseAnswerBody, parseErrorCode, parseQuotaSeconds, parseRetryAfter } from './parse-answer.ts'
import { isKnownReason, isOwnAccount, type ReasonOverrides, translateReason } from './reasons.ts'
import { neverLeft, type OperatorReply } from './transport.ts'

/** The closed list of reasons that a merchant may read (rails.md 3.8 rule 4). */
export const UNAVAILABLE_REASONS = {
  notConfigured: 'rail not configured',
  credentials: 'credentials refused',
  product: 'product not enabled',
  address: 'address not allow-listed',
  barred: 'account barred',
  settings: 'operator configuration',
} as const

/** The meaning of an answer to a submit, before its evidence is attached (rails.md 3.6). */
export type SubmitVerdict<Failure> =
  | { kind: 'accepted'; repeated: boolean }
  | { kind: 'rejected'; reason: Failure; operatorCode: string; ourFault: boolean; alarm: string | null }
  | (Pick<Unavailable, 'kind' | 'cure' | 'why' | 'retryAfterSeconds'> & { alarm: string | null })
  | { kind: 'ambiguous'; alarm: string | null }
  /** The token was refused: the call is repeated with another token. */
  | { kind: 'unauthorized' }
  /** A refusal written as an error of the server: one question tells whether it holds. */
  | { kind: 'confirm'; refused: OperatorRefusal<Failure>; alarm: string | null }

// Faults of our own settings that the operator reports as an error of its server.
const OUR_SETTINGS = new Set([
  'NOT_ALLOWED',
  'NOT_ALLOWED_TARGET_ENVIRONMENT',
  'INVALID_CURRENCY',
  'INVALID_CALLBACK_URL_HOST',
])
// Refusals of the movement that the operator reports as an error of its server.
const MOVEMENT_REFUSALS = new Set([
  'PAYER_NOT_FOUND',
  'PAYEE_NOT_FOUND',
  'NOT_ENOUGH_FUNDS',
  'PAYER_LIMIT_REACHED',
  'PAYEE_LIMIT_REACHED',
  'PAYEE_NOT_ALLOWED_TO_RECEIVE',
  'SENDER_ACCOUNT_NOT_ACTIVE',
])
const UNKNOWN_PARTY = new Set(['PAYER_NOT_FOUND', 'PAYEE_NOT_FOUND'])

const RETRY_SECONDS = 5
const RETRY_AFTER_429_SECONDS = 5
const RETRY_AFTER_PERSON_SECONDS = 60

const unavailableForNow = (retryAfterSeconds: number, alarm: string | null = null) =>
  ({
    kind: 'unavailable',
    cure: 'wait',
    why: UNAVAILABLE_REASONS.settings,
    retryAfterSeconds,
    alarm,
  }) as const
const unavailableUntilPerson = (why: string, alarm: string) =>
  ({
    kind: 'unavailable',
    cure: 'person',
    why,
    retryAfterSeconds: RETRY_AFTER_PERSON_SECONDS,
    alarm,
  }) as const
const unclear = (alarm: string | null = null) => ({ kind: 'ambiguous', alarm }) as const

type SubmitContext<S extends RailSide> = { side: S; overrides: ReasonOverrides }
type SubmitFailure<S extends RailSide> = ReturnType<typeof translateReason<S>>['reason']

/** Parses the answer to a money POST. Whatever is not proven is ambiguous. */
export function parseSubmit<S extends RailSide>(
  heard: OperatorReply,
  context: SubmitContext<S>,
): SubmitVerdict<SubmitFailure<S>> {
  if (heard.status === null) return parseSilence(heard)
  const code = parseErrorCode(parseAnswerBody(heard))
  switch (heard.status) {
    case 202:
      return { kind: 'accepted', repeated: false }
    case 409:
      return { kind: 'accepted', repeated: true }
    case 400:
      return parseBadRequest(code, context)
    case 401:
      return { kind: 'unauthorized' }
    case 403:
      return parseForbidden(heard, code)
    case 404:
      return code !== null && UNKNOWN_PARTY.has(code) ? parseBadRequest(code, context) : notServed(heard)
    case 405:
    case 411:
      return notServed(heard)
    case 429:
      return unavailableForNow(parseRetryAfter(heard, RETRY_AFTER_429_SECONDS))
    case 500:
      return parseServerError(code, context)
    default:
      return parseOtherStatus(heard.status, code, context)
  }
}

/** Judges a call without a status line, where only the stage proves anything (rails.md 3.9). */
function parseSilence(heard: OperatorReply): SubmitVerdict<never> {
  const tls = /^(?:ERR_TLS|ERR_SSL|CERT_|EPROTO|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(heard.transport ?? '')
  const alarm = tls ? `TLS to the operator fails: ${heard.transport}` : null
  return neverLeft(heard) ? unavailableForNow(RETRY_SECONDS, alarm) : unclear(alarm)
}

const notServed = ({ status }: OperatorReply) =>
  unavailableUntilPerson(
    UNAVAILABLE_REASONS.product,
    `the operator answers ${status} to a payment: wrong path or product`,
  )

function parseBadRequest<S extends RailSide>(
  code: string | null,
  { side, overrides }: SubmitContext<S>,
): SubmitVerdict<SubmitFailure<S>> {
  if (code !== null && isOwnAccount(side, code))
    return unavailableUntilPerson(UNAVAILABLE_REASONS.barred, `the operator says ${code} of our account`)
  if (code !== null && UNKNOWN_PARTY.has(code)) return buildRejection({ side, overrides }, code, false)
  return buildRejection({ side, overrides }, code ?? 'BAD_REQUEST', true)
}

function buildRejection<S extends RailSide>(
  { side, overrides }: SubmitContext<S>,
  operatorCode: string,
  ourFault: boolean,
): Extract<SubmitVerdict<SubmitFailure<S>>, { kind: 'rejected' }> {
  const translated = translateReason(side, operatorCode, overrides)
  const reason = ourFault ? ('rail_rejected' as SubmitFailure<S>) : translated.reason
  const alarm = ourFault || translated.alarm ? `the operator refused a payment: ${operatorCode}` : null
  return { kind: 'rejected', reason, operatorCode, ourFault, alarm }
}

function parseForbidden(heard: OperatorReply, code: string | null): SubmitVerdict<never> {
  const quota = parseQuotaSeconds(heard)
  if (quota !== null) return unavailableForNow(quota, 'the call quota of the subscription is used up')
  if (/FORBIDDEN.?IP/i.test(code ?? ''))
    return unavailableUntilPerson(
      UNAVAILABLE_REASONS.address,
      'our address is not on the allow-list of the operator (FORBIDDEN IP)',
    )
  return unavailableUntilPerson(
    UNAVAILABLE_REASONS.product,
    'the operator forbids the call: firewall, or the product is not granted',
  )
}

function parseServerError<S extends RailSide>(
  code: string | null,
  { side, overrides }: SubmitContext<S>,
): SubmitVerdict<SubmitFailure<S>> {
  if (code === null || !(OUR_SETTINGS.has(code) || MOVEMENT_REFUSALS.has(code))) return unclear()
  const translated = translateReason(side, code, overrides)
  const ourFault = OUR_SETTINGS.has(code) || isOwnAccount(side, code)
  const refused = {
    reason: ourFault ? ('rail_rejected' as SubmitFailure<S>) : translated.reason,
    operatorCode: code,
    ourFault,
  }
  const alarm = ourFault || translated.alarm ? `the operator refused a payment: ${code}` : null
  return { kind: 'confirm', refused, alarm }
}

function parseOtherStatus<S extends RailSide>(
  status: number,
  code: string | null,
  context: SubmitContext<S>,
): SubmitVerdict<SubmitFailure<S>> {
  if (status >= 300 && status < 400) return unclear(`the operator redirects payments (${status})`)
  if (status < 400 || status >= 500 || code === null || !isKnownReason(code)) return unclear()
  if (isOwnAccount(context.side, code))
    return unavailableUntilPerson(UNAVAILABLE_REASONS.barred, `the operator says ${code} of our account`)
  return buildRejection(context, code, OUR_SETTINGS.has(code))
}

/** The verdicts that end a submit. */
export type DecidedVerdict<Failure> = Exclude<SubmitVerdict<Failure>, { kind: 'unauthorized' } | { kind: 'confirm' }>

/** Builds the answer to the caller of `submit`. */
export function buildSubmitAnswer<Failure>(
  verdict: DecidedVerdict<Failure>,
  evidence: SubmitAnswer<Failure>['evidence'],
  refused?: OperatorRefusal<Failure>,
): SubmitAnswer<Failure> {
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
