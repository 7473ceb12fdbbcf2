import type { Clock } from '../../platform/time/clock.ts'
import { timeLimit } from '../../platform/time/time-limit.ts'
import type { AnswerEvidence, Attempt, CallDeadline, OperatorRefusal, SubmitAnswer } from '../rail.ts'
import { buildStatusRequest, type LineExchange, type Op1Line, type Op1Parts, rememberUnanswered } from './line.ts'
import { parseAnswerBody, parseErrorCode, parseReason } from './parse-answer.ts'
import { parseStatus } from './parse-status.ts'
import {
  buildSubmitAnswer,
  type DecidedVerdict,
  parseSubmit,
  type SubmitVerdict,
  UNAVAILABLE_REASONS,
} from './parse-submit.ts'
import { alarmKind } from './reasons.ts'
import { isLocalPhone, plainText } from './text.ts'
import { buildEvidence, neverLeft, type OperatorReply, replyNotSent } from './transport.ts'

const SECOND_MS = 1000
// How long a submit waits for a slot among those under way (rails.md 3.9).
const MAX_GATE_WAIT_MS = 2 * SECOND_MS
const MAX_BUDGET_WAIT_MS = 2 * SECOND_MS
const RETRY_WITHOUT_TOKEN_SECONDS = 5
const RETRY_GATE_FULL_SECONDS = 2

type SubmitParts = Pick<Op1Parts, 'budget' | 'observer' | 'log'> & { clock: Clock }

/** Sends one money POST and returns the meaning of its answer. Never throws for anything that the operator does. */
export async function submitThrough<Failure>(
  parts: SubmitParts,
  line: Op1Line,
  attempt: Attempt,
  deadline: CallDeadline,
): Promise<SubmitAnswer<Failure>> {
  const evidence = (heard: OperatorReply, operatorCode?: string | null): AnswerEvidence =>
    buildEvidence(heard, { at: parts.clock.now(), operation: 'submit', operatorCode: operatorCode ?? null })
  if (!line.own.foreignPhones && !isLocalPhone(attempt.phone))
    return {
      ...{ kind: 'rejected', reason: 'rail_rejected' as Failure, operatorCode: 'PHONE_NOT_LOCAL' },
      ...{ ourFault: false, evidence: evidence(replyNotSent('NOT_SENT'), 'PHONE_NOT_LOCAL') },
    }
  const admission = line.breaker.state === 'closed' ? null : line.breaker.admits()
  if (admission?.kind === 'no')
    return unavailableAnswer('the breaker is open', admission.retryAfterSeconds, evidence(replyNotSent('BREAKER_OPEN')))
  if (!(await line.submits.enter(Math.min(MAX_GATE_WAIT_MS, remainingMs(deadline)))))
    return unavailableAnswer('too many at once', RETRY_GATE_FULL_SECONDS, evidence(replyNotSent('GATE_FULL')))
  try {
    return await postMoney<Failure>(parts, line, { attempt, deadline, evidence })
  } finally {
    line.submits.leave()
  }
}

type MoneyPost = {
  attempt: Attempt
  deadline: CallDeadline
  evidence(heard: OperatorReply, operatorCode?: string | null): AnswerEvidence
}

async function postMoney<Failure>(
  parts: SubmitParts,
  line: Op1Line,
  posting: MoneyPost,
): Promise<SubmitAnswer<Failure>> {
  const { attempt, deadline, evidence } = posting
  const exchange = await line.call('submit', buildMoneyRequest(line, attempt), deadline)
  const { heard } = exchange
  const verdict = judgeExchange<Failure>(line, exchange)
  countSubmit(parts, line, { attempt, heard, verdict })
  const code = parseErrorCode(parseAnswerBody(heard))
  if ('alarm' in verdict && verdict.alarm !== null) line.raise(alarmKind(line.side, code), verdict.alarm)
  if (verdict.kind !== 'confirm') return buildSubmitAnswer(verdict, evidence(heard, code))
  if (verdict.refused.operatorCode === 'INVALID_CALLBACK_URL_HOST') line.callbackRefused = true
  return confirmRefusal(parts, line, { ...posting, refused: verdict.refused, heard })
}

/** Judges an exchange, a missing or refused token first. */
function judgeExchange<Failure>(
  line: Op1Line,
  exchange: LineExchange,
): Exclude<SubmitVerdict<Failure>, { kind: 'unauthorized' }> {
  const { heard, noToken, unauthorized } = exchange
  const isRefused = unauthorized || noToken?.cure === 'person'
  if (isRefused) return credentialsRefused(line)
  if (noToken !== null) return unavailableFor('wait', 'no token', RETRY_WITHOUT_TOKEN_SECONDS)
  const side = line.side
  const verdict = parseSubmit(heard, { side, overrides: line.own.reasonOverrides }) as SubmitVerdict<Failure>
  return verdict.kind === 'unauthorized' ? credentialsRefused(line) : verdict
}

const unavailableFor = (cure: 'wait' | 'person', why: string, retryAfterSeconds: number, alarm: string | null = null) =>
  ({ kind: 'unavailable', cure, why, retryAfterSeconds, alarm }) as const

const credentialsRefused = ({ own, product }: Op1Line) =>
  unavailableFor(
    'person',
    UNAVAILABLE_REASONS.credentials,
    60,
    `the operator refuses the credentials of ${own.id} for ${product}`,
  )

/** Counts the call for the breaker and the metrics, and remembers a post without an answer. */
function countSubmit<Failure>(
  { observer }: SubmitParts,
  line: Op1Line,
  {
    attempt,
    heard,
    verdict,
  }: { attempt: Attempt; heard: OperatorReply; verdict: DecidedVerdict<Failure> | { kind: 'confirm' } },
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
async function confirmRefusal<Failure>(
  parts: SubmitParts,
  line: Op1Line,
  {
    attempt,
    deadline,
    evidence,
    refused,
    heard,
  }: MoneyPost & { refused: OperatorRefusal<Failure>; heard: OperatorReply },
): Promise<SubmitAnswer<Failure>> {
  const unclear: SubmitAnswer<Failure> = {
    kind: 'ambiguous',
    evidence: evidence(heard, refused.operatorCode),
    refused,
  }
  const mayAsk = await Promise.race([parts.budget.takeFirst(line.own.id), resolveAfter(MAX_BUDGET_WAIT_MS, false)])
  if (!mayAsk) return unclear
  const question = await line.call('status', buildStatusRequest(line, attempt.reference), deadline)
  const at = parts.clock.now()
  const confirmed = buildEvidence(question.heard, {
    at,
    operation: 'confirm',
    operatorCode: parseReason(parseAnswerBody(question.heard)),
  })
  const { status } = parseStatus(question.heard, { side: line.side, own: line.own }, confirmed)
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

function buildMoneyRequest(line: Op1Line, attempt: Attempt) {
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

function callbackUrl({ own, callbackRefused }: Op1Line, { callbackPath }: Attempt): string | null {
  if (callbackPath === null || callbackRefused || own.callback?.send !== true) return null
  return `${own.callback.base.replace(/\/+$/, '')}/${callbackPath}`
}

const unavailableAnswer = (why: string, retryAfterSeconds: number, evidence: AnswerEvidence) =>
  ({ kind: 'unavailable', cure: 'wait', why, retryAfterSeconds, evidence }) as const

const remainingMs = ({ atMs }: CallDeadline) => Math.max(0, atMs - performance.now())

const resolveAfter = <T>(ms: number, value: T): Promise<T> =>
  new Promise((resolve) => setTimeout(() => resolve(value), ms).unref())

/** Returns the earlier of a caller's deadline and `ms` from now. */
export const noLaterThan = (deadline: CallDeadline, ms: number): CallDeadline => {
  if (deadline.atMs - performance.now() <= ms) return deadline
  const atMs = performance.now() + ms
  const isOver = () => deadline.isOver() || performance.now() >= atMs
  return { signal: timeLimit(ms, deadline.signal), atMs, isOver }
}
