import type { Logger } from 'pino'
import { done, failed, type Outcome } from '../../platform/batch-run.ts'
import type { Clock } from '../../platform/clock.ts'
import { Refusal } from '../../platform/refusal.ts'
import { echo } from '../../platform/text.ts'
import { deliveredOf } from '../dispensing/delivered-products.ts'
import type { DispenseOutcome } from '../dispensing/dispense-move.ts'
import type { Goods } from '../orders/order.ts'
import { type Callback, FRESH_MS, invalidSignature, type Report, readReport } from './callback-body.ts'
import { whichSigned } from './callback-signing.ts'
import type { Trust } from './callback-trust.ts'
import { type Candidate, type Finder, isAbout, toldTo } from './match-callback.ts'
import type { CallbackOutcome } from './vendor-callbacks.ts'

export type Receiver = Finder & { clock: Clock; log: Logger }

/** What came of a callback. `unknown`: it names nothing of ours, so no secret can verify it; it is logged and changes nothing. */
export type Received = CallbackOutcome | 'duplicate' | 'unknown'

/** What to do about a callback, decided before anything is written. */
export type Belief =
  | { kind: 'answered'; outcome: Outcome<Received> }
  /** Stored for staff; changes nothing. */
  | {
      kind: 'kept'
      outcome: 'mismatch' | 'not_finished'
      callback: Callback
      candidates: readonly Candidate[]
    }
  | { kind: 'reported'; callback: Callback; candidate: Candidate; to: DispenseOutcome }

const JAMMED = 'the machine reported a jam'

/** Judges a callback by the steps of contract.md 6.3 from the third on, in their order. */
export function believe(
  receiver: Receiver,
  callback: Callback,
  { candidates, trust }: { candidates: readonly Candidate[]; trust: Trust },
): Belief {
  try {
    if (candidates.length === 0) return answered(unknown(receiver, callback))
    const signed = candidates.filter((candidate) => hasSigned(trust, candidate, callback))
    if (signed.length === 0) throw invalidSignature()
    if (Math.abs(receiver.clock.nowMs() - callback.sentAtMs) > FRESH_MS)
      throw new Refusal(401, 'unauthorized', 'timestamp outside the allowed window')
    const [newest, ...older] = signed.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
    if (newest === undefined || older.some(({ merchantId }) => merchantId !== newest.merchantId))
      return { kind: 'kept', outcome: 'mismatch', callback, candidates: signed }
    return believeSigned(receiver, callback, { candidate: newest, trust })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { kind: 'answered', outcome: failed(error) }
  }
}

const answered = (result: Received): Belief => ({ kind: 'answered', outcome: done(result) })

function hasSigned(trust: Trust, candidate: Candidate, callback: Callback): boolean {
  const secrets = trust.secretsOf(candidate).map(({ secret }) => secret)
  return whichSigned(secrets, callback) !== null
}

function believeSigned(
  receiver: Receiver,
  callback: Callback,
  { candidate, trust }: { candidate: Candidate; trust: Trust },
): Belief {
  const servedOrder = trust.servedBy({ ...candidate, ...callback })
  if (servedOrder !== null) return answered(seenBefore(receiver, candidate, servedOrder))
  const report = readReport(callback)
  const candidates = [candidate]
  const goods = toldTo(candidate, callback.machine)
  if (candidate.torn || goods === null) return { kind: 'kept', outcome: 'mismatch', callback, candidates }
  if (report.kind === 'not_finished') return { kind: 'kept', outcome: 'not_finished', callback, candidates }
  return { kind: 'reported', callback, candidate, to: outcomeOfReport(report, goods) }
}

/** Decides the outcome that a report means: without any unit it is a jam, with fewer products than ordered a delivery with a note (step 9). */
function outcomeOfReport(
  { units, result }: Extract<Report, { kind: 'done' }>,
  goods: readonly Goods[],
): DispenseOutcome {
  if (units === 0) return { status: 'failed', confirmed: true, result, error: JAMMED }
  const { delivered, products } = deliveredOf(goods, result)
  const note = delivered < products ? `${delivered} of ${products} products delivered` : null
  return { status: 'dispensed', confirmed: true, result, note }
}

function seenBefore({ log }: Receiver, candidate: Candidate, served: string): Received {
  if (isAbout(candidate, served)) return 'duplicate'
  log.warn(
    { object_id: candidate.orderId, served },
    'a callback with the sign of another order was not applied',
  )
  return 'mismatch'
}

function unknown({ log }: Receiver, { orderId, chargeId, machine }: Callback): Received {
  // Without any id, the callback can never be matched to an order.
  if (orderId === null && chargeId === null && machine === null)
    throw new Refusal(400, 'bad_request', 'jqbh is required')
  const named = { order: echo(orderId ?? ''), charge: echo(chargeId ?? ''), machine: echo(machine ?? '') }
  log.warn(named, 'a callback about an unknown order or machine')
  return 'unknown'
}
