import { type Attempt, type Deadline, deadlineIn, type Float, type Holder, type Status } from '../rail.ts'
import { amountIn, bodyOf, reasonIn, wordIn } from './answers.ts'
import { readHolder } from './holder.ts'
import { askedAbout, gateEvidence as gate, isReadable, type Line, type Op1Parts } from './line.ts'
import { readStatus } from './read-status.ts'
import { alarmKind } from './reasons.ts'
import { noLaterThan } from './submit.ts'
import { evidenceOf, type Heard } from './transport.ts'

const SECOND = 1000
const LOOKUP_MS = 5 * SECOND
const BALANCE_MS = 10 * SECOND
const PROBE_MS = 15 * SECOND
const QUESTION_GATE_MS = 2 * SECOND

/** Asks one question about a movement. The caller has taken it from the budget. */
export async function ask<Failure>(
  parts: Op1Parts,
  line: Line,
  attempt: Attempt,
  deadline: Deadline,
): Promise<Status<Failure>> {
  const { clock, observer, budget } = parts
  if (!(await line.questions.enter(QUESTION_GATE_MS)))
    return { kind: 'unknown', evidence: gate(parts, 'status', 'GATE_FULL') }
  const { heard } = await line
    .call('status', askedAbout(line, attempt.reference), deadline)
    .finally(() => line.questions.leave())
  const evidence = evidenceOf(heard, {
    at: clock.now(),
    operation: 'status',
    operatorCode: reasonIn(bodyOf(heard)) ?? wordIn(bodyOf(heard), 'code'),
  })
  const { status, alarm, unknownWord } = readStatus(heard, { side: line.side, own: line.own }, evidence)
  observer.request(line.own.id, 'status', status.kind, { ms: heard.elapsedMs, reference: attempt.reference })
  if (isReadable(heard)) line.breaker.probed('answer')
  if (heard.status === 429 || (heard.status === 403 && /quota/i.test(heard.body.toString('utf8'))))
    await budget.slowDown(line.own.id)
  if (alarm !== null) line.tell(alarmKind(line.side, evidence.operatorCode ?? null), alarm)
  if (unknownWord)
    line.tell(
      'unknown-word',
      `the operator used a word that is not known: ${evidence.operatorCode ?? wordIn(bodyOf(heard), 'status')}`,
    )
  if (status.kind === 'succeeded' || status.kind === 'failed') line.unanswered.delete(attempt.reference)
  return status as Status<Failure>
}

/** Probes the operator with one question about the oldest payment without an answer, or with a token call; never with a payment (rails.md 4.9). */
export async function probe({ budget, log }: Op1Parts, line: Line): Promise<void> {
  const [oldest] = line.unanswered
  const deadline = deadlineIn(PROBE_MS)
  const asksStatus = oldest !== undefined && (await budget.takeFirst(line.own.id).catch(() => false))
  const heard: Heard = asksStatus
    ? (await line.call('status', askedAbout(line, oldest), deadline)).heard
    : await line.token.fetchNow()
  // A probe that our own side stopped, for lack of a token, says nothing about the operator and counts as a fault: the next one tries again.
  log.info({ installation: line.own.id, side: line.side, status: heard.status }, 'probed an operator')
  line.breaker.probed(isReadable(heard) ? 'answer' : 'fault')
}

export async function lookUp(
  parts: Op1Parts,
  line: Line | undefined,
  phone: string,
  deadline: Deadline,
): Promise<Holder> {
  if (!line?.lookups.take()) return { active: 'unknown', evidence: gate(parts, 'status', 'LOOKUP_BUDGET') }
  const lookupDeadline = noLaterThan(deadline, LOOKUP_MS)
  const at = `/${line.product}/v1_0/accountholder/msisdn/${phone}`
  const get = (path: string) => line.call('status', { method: 'GET', path, headers: {} }, lookupDeadline)
  const [active, person] = await Promise.all([get(`${at}/active`), get(`${at}/basicuserinfo`)])
  const call = { ms: active.heard.elapsedMs, reference: null }
  parts.observer.request(line.own.id, 'lookup', String(active.heard.status ?? 'none'), call)
  // The body names a person, so the evidence keeps only how far the question got.
  const heard: Heard = { ...active.heard, body: Buffer.alloc(0) }
  return readHolder(
    active.heard,
    person.heard,
    evidenceOf(heard, { at: parts.clock.now(), operation: 'status' }),
  )
}

export async function balance(parts: Op1Parts, line: Line | undefined, deadline: Deadline): Promise<Float> {
  const at = parts.clock.now()
  if (!line) return { available: 'unknown', evidence: gate(parts, 'status') }
  const path = `/${line.product}/v1_0/account/balance`
  const { heard } = await line.call(
    'status',
    { method: 'GET', path, headers: {} },
    noLaterThan(deadline, BALANCE_MS),
  )
  parts.observer.request(line.own.id, 'balance', String(heard.status ?? 'none'), {
    ms: heard.elapsedMs,
    reference: null,
  })
  const body = bodyOf(heard)
  const available = heard.status === 200 ? amountIn(body, 'availableBalance') : null
  const currency = wordIn(body, 'currency')
  if (available === null || currency === null)
    return { available: 'unknown', evidence: evidenceOf(heard, { at, operation: 'status' }) }
  return { available, currency: currency === line.own.currency ? 'UGX' : currency, at }
}
