import type { Clock } from '../../platform/clock.ts'
import { timeLimit } from '../../platform/time-limit.ts'
import type { Attempt, Deadline, Evidence, Refused, Submitted } from '../rail.ts'
import { bodyOf, codeOf, reasonIn } from './answers.ts'
import { askedAbout, type Called, type Line, type Op1Parts, rememberUnanswered } from './line.ts'
import { readStatus } from './read-status.ts'
import { type Decided, readSubmit, submitted, type Verdict, WHY } from './read-submit.ts'
import { alarmKind } from './reasons.ts'
import { isLocalPhone, plainText } from './text.ts'
import { evidenceOf, type Heard, neverLeft, notSent } from './transport.ts'

const SECOND = 1000
// How long a submit waits for a slot among those under way (rails.md 3.9).
const GATE_WAIT_MS = 2 * SECOND
const CONFIRM_TOKEN_MS = 2 * SECOND
const NO_TOKEN_SECONDS = 5
const GATE_FULL_SECONDS = 2

type Parts = Pick<Op1Parts, 'budget' | 'observer' | 'log'> & { clock: Clock }

/** Sends one money POST and returns the meaning of its answer. Never throws for anything that the operator does. */
export async function submitThrough<Failure>(
  parts: Parts,
  line: Line,
  attempt: Attempt,
  deadline: Deadline,
): Promise<Submitted<Failure>> {
  const evidence = (heard: Heard, operatorCode?: string | null): Evidence =>
    evidenceOf(heard, { at: parts.clock.now(), operation: 'submit', operatorCode: operatorCode ?? null })
  if (!line.own.foreignPhones && !isLocalPhone(attempt.phone))
    return {
      ...{ kind: 'rejected', reason: 'rail_rejected' as Failure, operatorCode: 'PHONE_NOT_LOCAL' },
      ...{ ourFault: false, evidence: evidence(notSent('NOT_SENT'), 'PHONE_NOT_LOCAL') },
    }
  const admission = line.breaker.state === 'closed' ? null : line.breaker.admits()
  if (admission?.kind === 'no')
    return waiting('the breaker is open', admission.retryAfterSeconds, evidence(notSent('BREAKER_OPEN')))
  if (!(await line.submits.enter(Math.min(GATE_WAIT_MS, leftOf(deadline)))))
    return waiting('too many at once', GATE_FULL_SECONDS, evidence(notSent('GATE_FULL')))
  try {
    return await post<Failure>(parts, line, { attempt, deadline, evidence })
  } finally {
    line.submits.leave()
  }
}

type Posting = {
  attempt: Attempt
  deadline: Deadline
  evidence(heard: Heard, operatorCode?: string | null): Evidence
}

async function post<Failure>(parts: Parts, line: Line, posting: Posting): Promise<Submitted<Failure>> {
  const { attempt, deadline, evidence } = posting
  const exchange = await line.call('submit', askedFor(line, attempt), deadline)
  const { heard } = exchange
  const verdict = judge<Failure>(line, exchange)
  note(parts, line, { attempt, heard, verdict })
  const code = codeOf(bodyOf(heard))
  if ('alarm' in verdict && verdict.alarm !== null) line.tell(alarmKind(line.side, code), verdict.alarm)
  if (verdict.kind !== 'confirm') return submitted(verdict, evidence(heard, code))
  if (verdict.refused.operatorCode === 'INVALID_CALLBACK_URL_HOST') line.callbackRefused = true
  return confirm(parts, line, { ...posting, refused: verdict.refused, heard })
}

/** Judges an exchange, a missing or refused token first. */
function judge<Failure>(line: Line, exchange: Called): Exclude<Verdict<Failure>, { kind: 'unauthorized' }> {
  const { heard, noToken, unauthorized } = exchange
  const isRefused = unauthorized || noToken?.cure === 'person'
  if (isRefused) return credentialsRefused(line)
  if (noToken !== null) return unavailableFor('wait', 'no token', NO_TOKEN_SECONDS)
  const side = line.side
  const verdict = readSubmit(heard, { side, overrides: line.own.reasonOverrides }) as Verdict<Failure>
  return verdict.kind === 'unauthorized' ? credentialsRefused(line) : verdict
}

const unavailableFor = (
  cure: 'wait' | 'person',
  why: string,
  retryAfterSeconds: number,
  alarm: string | null = null,
) => ({ kind: 'unavailable', cure, why, retryAfterSeconds, alarm }) as const

const credentialsRefused = ({ own, product }: Line) =>
  unavailableFor(
    'person',
    WHY.credentials,
    60,
    `the operator refuses the credentials of ${own.id} for ${product}`,
  )

/** Counts the call for the breaker and the metrics, and remembers a post without an answer. */
function note<Failure>(
  { observer }: Parts,
  line: Line,
  {
    attempt,
    heard,
    verdict,
  }: { attempt: Attempt; heard: Heard; verdict: Decided<Failure> | { kind: 'confirm' } },
): void {
  observer.request(line.own.id, 'submit', verdict.kind, { ms: heard.elapsedMs, reference: attempt.reference })
  const fault = heard.status === null || verdict.kind === 'ambiguous'
  // Our own gate and a missing token say nothing about submits.
  if (heard.stage !== 'gate') line.breaker.record(fault ? 'fault' : 'answer')
  if (fault && !neverLeft(heard)) rememberUnanswered(line, attempt.reference)
}

/**
 * Asks once whether a refusal that came as an error of the server holds. Only `FAILED` makes it definite at once; a status may lag,
 * so "not found" right after it proves nothing (rails.md 3.6).
 */
async function confirm<Failure>(
  parts: Parts,
  line: Line,
  { attempt, deadline, evidence, refused, heard }: Posting & { refused: Refused<Failure>; heard: Heard },
): Promise<Submitted<Failure>> {
  const unclear: Submitted<Failure> = {
    kind: 'ambiguous',
    evidence: evidence(heard, refused.operatorCode),
    refused,
  }
  const mayAsk = await Promise.race([parts.budget.takeFirst(line.own.id), after(CONFIRM_TOKEN_MS, false)])
  if (!mayAsk) return unclear
  const question = await line.call('status', askedAbout(line, attempt.reference), deadline)
  const at = parts.clock.now()
  const confirmed = evidenceOf(question.heard, {
    at,
    operation: 'confirm',
    operatorCode: reasonIn(bodyOf(question.heard)),
  })
  const { status } = readStatus(question.heard, { side: line.side, own: line.own }, confirmed)
  if (status.kind !== 'failed') return unclear
  const { reason, operatorCode } = status
  return {
    kind: 'rejected',
    reason: reason as Failure,
    operatorCode,
    ourFault: refused.ourFault,
    evidence: confirmed,
  }
}

function askedFor(line: Line, attempt: Attempt) {
  const { side, product, own } = line
  const { reference, publicId, amount, phone, note } = attempt
  const id = publicId
  const name = plainText(note, own.noteMaxLength, `Payment ${id}`)
  const party = { partyIdType: 'MSISDN', partyId: phone }
  const texts =
    side === 'collect'
      ? { payer: party, payerMessage: name, payeeNote: id }
      : { payee: party, payerMessage: id, payeeNote: name }
  const callback = callbackUrl(line, attempt)
  return {
    method: 'POST' as const,
    path: `/${product}/v1_0/${side === 'collect' ? 'requesttopay' : 'transfer'}`,
    headers: {
      'content-type': 'application/json',
      'x-reference-id': reference,
      ...(callback === null ? {} : { 'x-callback-url': callback }),
    },
    body: JSON.stringify({ amount: String(amount), currency: own.currency, externalId: id, ...texts }),
  }
}

function callbackUrl({ own, callbackRefused }: Line, { callbackPath }: Attempt): string | null {
  if (callbackPath === null || callbackRefused || own.callback?.send !== true) return null
  return `${own.callback.base.replace(/\/+$/, '')}/${callbackPath}`
}

const waiting = (why: string, retryAfterSeconds: number, evidence: Evidence) =>
  ({ kind: 'unavailable', cure: 'wait', why, retryAfterSeconds, evidence }) as const

const leftOf = ({ atMs }: Deadline) => Math.max(0, atMs - performance.now())

const after = <T>(ms: number, value: T): Promise<T> =>
  new Promise((resolve) => setTimeout(() => resolve(value), ms).unref())

/** Returns the earlier of a caller's deadline and `ms` from now. */
export const noLaterThan = (deadline: Deadline, ms: number): Deadline => {
  if (deadline.atMs - performance.now() <= ms) return deadline
  const atMs = performance.now() + ms
  const isOver = () => deadline.isOver() || performance.now() >= atMs
  return { signal: timeLimit(ms, deadline.signal), atMs, isOver }
}
