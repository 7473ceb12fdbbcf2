import type { Evidence, RailSide, Status } from '../rail.ts'
import { amountIn, type Body, bodyOf, objectIn, reasonIn, wordIn } from './answers.ts'
import type { Op1Installation } from './installation.ts'
import { alarmKind, isStillWorking, reasonFor } from './reasons.ts'
import type { Heard } from './transport.ts'

type FailureOf<S extends RailSide> = ReturnType<typeof reasonFor<S>>['reason']
type Of<S extends RailSide> = { side: S; own: Op1Installation }

/** A status answer and the alarm that it raises, if any. */
type Read<Failure> = { status: Status<Failure>; alarm: string | null; unknownWord: boolean }

const MOST_EXTERNAL_ID = 100
const UGX = 'UGX'

/** Parses the answer to a question: the status word first, then the reason (rails.md 3.5, 3.10). */
export function readStatus<S extends RailSide>(
  heard: Heard,
  context: Of<S>,
  evidence: Evidence,
): Read<FailureOf<S>> {
  const plain = (status: Status<FailureOf<S>>) => ({ status, alarm: null, unknownWord: false })
  if (heard.status === 404) return plain({ kind: 'not_found', evidence })
  if (heard.status === 400)
    return { ...plain({ kind: 'unknown', evidence }), alarm: 'the operator calls a reference malformed' }
  if (heard.status !== 200) return plain({ kind: 'unknown', evidence })
  const body = bodyOf(heard)
  switch (wordIn(body, 'status')) {
    case 'SUCCESSFUL':
      return plain(readSuccess(body, context, evidence))
    case 'FAILED':
      return readFailure(body, context, evidence)
    case 'PENDING':
    case 'CREATED':
      return plain({ kind: 'pending', evidence })
    case null:
      return plain({ kind: 'unknown', evidence })
    default:
      return { ...plain({ kind: 'unknown', evidence }), unknownWord: true }
  }
}

function readFailure<S extends RailSide>(
  body: Body | null,
  { side, own }: Of<S>,
  evidence: Evidence,
): Read<FailureOf<S>> {
  const word = reasonIn(body) ?? ''
  if (isStillWorking(word)) return { status: { kind: 'pending', evidence }, alarm: null, unknownWord: false }
  const { reason, known, alarm } = reasonFor(side, word, own.reasonOverrides)
  return {
    status: { kind: 'failed', reason, operatorCode: word === '' ? 'NO_REASON' : word, evidence },
    alarm: alarm ? alarmFor(side, word) : null,
    unknownWord: word !== '' && !known,
  }
}

/** Formats the alarm about a failure. Lack of funds on a payout means an empty float or a receiver over its limit; the balance tells which. */
const alarmFor = (side: RailSide, word: string): string =>
  alarmKind(side, word) === 'float'
    ? `our float may be empty, or a receiver is over its limit (${word}): look at the balance`
    : `the operator refused a ${side === 'collect' ? 'charge' : 'payout'}: ${word}`

function readSuccess<S extends RailSide>(
  body: Body | null,
  { side, own }: Of<S>,
  evidence: Evidence,
): Status<FailureOf<S>> {
  const word = reasonIn(body)
  if (word !== null && !isStillWorking(word))
    return { kind: 'unknown', evidence, contradicts: `SUCCESSFUL with ${word}` }
  const amount = amountIn(body, 'amount')
  const currency = wordIn(body, 'currency')
  const phone = wordIn(objectIn(body, side === 'collect' ? 'payer' : 'payee'), 'partyId')
  // Without a readable amount the answer counts as unknown, and the question is asked again.
  if (amount === null) return { kind: 'unknown', evidence }
  return {
    kind: 'succeeded',
    railTransactionId: wordIn(body, 'financialTransactionId'),
    amount,
    // The operator's own sandbox moves euros only; the installation says which currency stands for ours.
    currency: currency === own.currency ? UGX : currency,
    phone,
    externalId: wordIn(body, 'externalId')?.slice(0, MOST_EXTERNAL_ID) ?? null,
    evidence,
  }
}
