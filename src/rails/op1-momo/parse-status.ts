import type { AnswerEvidence, RailSide, StatusAnswer } from '../rail.ts'
import type { Op1Installation } from './installation.ts'
import {
  type AnswerBody,
  parseAnswerBody,
  parseObject,
  parseReason,
  parseWholeAmount,
  parseWord,
} from './parse-answer.ts'
import { alarmKind, isStillWorking, translateReason } from './reasons.ts'
import type { OperatorReply } from './transport.ts'

type StatusFailure<S extends RailSide> = ReturnType<typeof translateReason<S>>['reason']
type StatusContext<S extends RailSide> = { side: S; own: Op1Installation }

/** A status answer and the alarm that it raises, if any. */
type StatusReading<Failure> = { status: StatusAnswer<Failure>; alarm: string | null; unknownWord: boolean }

const MAX_EXTERNAL_ID_CHARACTERS = 100
const UGX = 'UGX'

/** Parses the answer to a question: the status word first, then the reason (rails.md 3.5, 3.10). */
export function parseStatus<S extends RailSide>(
  heard: OperatorReply,
  context: StatusContext<S>,
  evidence: AnswerEvidence,
): StatusReading<StatusFailure<S>> {
  const plain = (status: StatusAnswer<StatusFailure<S>>) => ({ status, alarm: null, unknownWord: false })
  if (heard.status === 404) return plain({ kind: 'not_found', evidence })
  if (heard.status === 400)
    return { ...plain({ kind: 'unknown', evidence }), alarm: 'the operator calls a reference malformed' }
  if (heard.status !== 200) return plain({ kind: 'unknown', evidence })
  const body = parseAnswerBody(heard)
  switch (parseWord(body, 'status')) {
    case 'SUCCESSFUL':
      return plain(parseSuccess(body, context, evidence))
    case 'FAILED':
      return parseFailure(body, context, evidence)
    case 'PENDING':
    case 'CREATED':
      return plain({ kind: 'pending', evidence })
    case null:
      return plain({ kind: 'unknown', evidence })
    default:
      return { ...plain({ kind: 'unknown', evidence }), unknownWord: true }
  }
}

function parseFailure<S extends RailSide>(
  body: AnswerBody | null,
  { side, own }: StatusContext<S>,
  evidence: AnswerEvidence,
): StatusReading<StatusFailure<S>> {
  const word = parseReason(body) ?? ''
  if (isStillWorking(word)) return { status: { kind: 'pending', evidence }, alarm: null, unknownWord: false }
  const { reason, known, alarm } = translateReason(side, word, own.reasonOverrides)
  return {
    status: { kind: 'failed', reason, operatorCode: word === '' ? 'NO_REASON' : word, evidence },
    alarm: alarm ? formatAlarm(side, word) : null,
    unknownWord: word !== '' && !known,
  }
}

/** Formats the alarm about a failure. Lack of funds on a payout means an empty float or a receiver over its limit; the balance tells which. */
const formatAlarm = (side: RailSide, word: string): string =>
  alarmKind(side, word) === 'float'
    ? `our float may be empty, or a receiver is over its limit (${word}): look at the balance`
    : `the operator refused a ${side === 'collect' ? 'charge' : 'payout'}: ${word}`

function parseSuccess<S extends RailSide>(
  body: AnswerBody | null,
  { side, own }: StatusContext<S>,
  evidence: AnswerEvidence,
): StatusAnswer<StatusFailure<S>> {
  const word = parseReason(body)
  if (word !== null && !isStillWorking(word))
    return { kind: 'unknown', evidence, contradicts: `SUCCESSFUL with ${word}` }
  const amount = parseWholeAmount(body, 'amount')
  const currency = parseWord(body, 'currency')
  const phone = parseWord(parseObject(body, side === 'collect' ? 'payer' : 'payee'), 'partyId')
  // Without a readable amount the answer counts as unknown, and the question is asked again.
  if (amount === null) return { kind: 'unknown', evidence }
  return {
    kind: 'succeeded',
    railTransactionId: parseWord(body, 'financialTransactionId'),
    amount,
    // The operator's own sandbox moves euros only; the installation says which currency stands for ours.
    currency: currency === own.currency ? UGX : currency,
    phone,
    externalId: parseWord(body, 'externalId')?.slice(0, MAX_EXTERNAL_ID_CHARACTERS) ?? null,
    evidence,
  }
}
