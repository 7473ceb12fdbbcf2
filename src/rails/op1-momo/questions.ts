import {
  type Attempt,
  type CallDeadline,
  deadlineIn,
  type OperatorFloat,
  type StatusAnswer,
  type WalletHolder,
} from '../rail.ts'
import { buildStatusRequest, buildGateEvidence as gate, isReadable, type Op1Line, type Op1Parts } from './line.ts'
import { parseAnswerBody, parseReason, parseWholeAmount, parseWord } from './parse-answer.ts'
import { parseHolder } from './parse-holder.ts'
import { parseStatus } from './parse-status.ts'
import { alarmKind } from './reasons.ts'
import { noLaterThan } from './submit.ts'
import { buildEvidence, type OperatorReply } from './transport.ts'

const SECOND_MS = 1000
const LOOKUP_DEADLINE_MS = 5 * SECOND_MS
const BALANCE_DEADLINE_MS = 10 * SECOND_MS
const PROBE_DEADLINE_MS = 15 * SECOND_MS
const MAX_GATE_WAIT_MS = 2 * SECOND_MS

/** Asks one question about a movement. The caller has taken it from the budget. */
export async function askStatus<Failure>(
  parts: Op1Parts,
  line: Op1Line,
  attempt: Attempt,
  deadline: CallDeadline,
): Promise<StatusAnswer<Failure>> {
  const { clock, observer, budget } = parts
  if (!(await line.questions.enter(MAX_GATE_WAIT_MS)))
    return { kind: 'unknown', evidence: gate(parts, 'status', 'GATE_FULL') }
  const { heard } = await line
    .call('status', buildStatusRequest(line, attempt.reference), deadline)
    .finally(() => line.questions.leave())
  const evidence = buildEvidence(heard, {
    at: clock.now(),
    operation: 'status',
    operatorCode: parseReason(parseAnswerBody(heard)) ?? parseWord(parseAnswerBody(heard), 'code'),
  })
  const { status, alarm, unknownWord } = parseStatus(heard, { side: line.side, own: line.own }, evidence)
  observer.request(line.own.id, 'status', status.kind, { ms: heard.elapsedMs, reference: attempt.reference })
  if (isReadable(heard)) line.breaker.probed('answer')
  if (heard.status === 429 || (heard.status === 403 && /quota/i.test(heard.body.toString('utf8'))))
    await budget.slowDown(line.own.id)
  if (alarm !== null) line.raise(alarmKind(line.side, evidence.operatorCode ?? null), alarm)
  if (unknownWord)
    line.raise(
      'unknown-word',
      `the operator used a word that is not known: ${evidence.operatorCode ?? parseWord(parseAnswerBody(heard), 'status')}`,
    )
  if (status.kind === 'succeeded' || status.kind === 'failed') line.unanswered.delete(attempt.reference)
  return status as StatusAnswer<Failure>
}

/** Probes the operator with one question about the oldest payment without an answer, or with a token call; never with a payment (rails.md 4.9). */
export async function probe({ budget, log }: Op1Parts, line: Op1Line): Promise<void> {
  const [oldest] = line.unanswered
  const deadline = deadlineIn(PROBE_DEADLINE_MS)
  const asksStatus = oldest !== undefined && (await budget.takeFirst(line.own.id).catch(() => false))
  const heard: OperatorReply = asksStatus
    ? (await line.call('status', buildStatusRequest(line, oldest), deadline)).heard
    : await line.token.fetchNow()
  // A probe that our own side stopped, for lack of a token, says nothing about the operator and counts as a fault: the next one tries again.
  log.info({ installation: line.own.id, side: line.side, status: heard.status }, 'probed an operator')
  line.breaker.probed(isReadable(heard) ? 'answer' : 'fault')
}

export async function lookUpHolder(
  parts: Op1Parts,
  line: Op1Line | undefined,
  phone: string,
  deadline: CallDeadline,
): Promise<WalletHolder> {
  if (!line?.lookups.take()) return { active: 'unknown', evidence: gate(parts, 'status', 'LOOKUP_BUDGET') }
  const lookupDeadline = noLaterThan(deadline, LOOKUP_DEADLINE_MS)
  const at = `/${line.product}/v1_0/accountholder/msisdn/${phone}`
  const get = (path: string) => line.call('status', { method: 'GET', path, headers: {} }, lookupDeadline)
  const [active, person] = await Promise.all([get(`${at}/active`), get(`${at}/basicuserinfo`)])
  const call = { ms: active.heard.elapsedMs, reference: null }
  parts.observer.request(line.own.id, 'lookup', String(active.heard.status ?? 'none'), call)
  // The body names a person, so the evidence keeps only how far the question got.
  const heard: OperatorReply = { ...active.heard, body: Buffer.alloc(0) }
  return parseHolder(active.heard, person.heard, buildEvidence(heard, { at: parts.clock.now(), operation: 'status' }))
}

export async function readFloat(
  parts: Op1Parts,
  line: Op1Line | undefined,
  deadline: CallDeadline,
): Promise<OperatorFloat> {
  const at = parts.clock.now()
  if (!line) return { available: 'unknown', evidence: gate(parts, 'status') }
  const path = `/${line.product}/v1_0/account/balance`
  const { heard } = await line.call(
    'status',
    { method: 'GET', path, headers: {} },
    noLaterThan(deadline, BALANCE_DEADLINE_MS),
  )
  parts.observer.request(line.own.id, 'balance', String(heard.status ?? 'none'), {
    ms: heard.elapsedMs,
    reference: null,
  })
  const body = parseAnswerBody(heard)
  const available = heard.status === 200 ? parseWholeAmount(body, 'availableBalance') : null
  const currency = parseWord(body, 'currency')
  if (available === null || currency === null)
    return { available: 'unknown', evidence: buildEvidence(heard, { at, operation: 'status' }) }
  return { available, currency: currency === line.own.currency ? 'UGX' : currency, at }
}
