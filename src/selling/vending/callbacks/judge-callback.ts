import type { Logger } from 'pino'
import { type ItemOutcome, itemDone, itemFailed } from '../../../platform/batches/batch-run.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { echo } from '../../../platform/text/text.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { countDelivered } from '../dispensing/delivered-products.ts'
import type { DispenseOutcome } from '../dispensing/dispense-move.ts'
import type { Goods } from '../orders/order.ts'
import {
  type CallbackReport,
  FRESH_MS,
  invalidSignature,
  type MachineCallback,
  parseCallbackReport,
} from './callback-body.ts'
import { findSigner } from './callback-signing.ts'
import type { CallbackTrust } from './callback-trust.ts'
import { type Candidate, type CellFinder, findCommandedGoods, isAbout } from './match-callback.ts'
import type { CallbackOutcome } from './vendor-callbacks.ts'

export type CallbackReceiver = CellFinder & { clock: Clock; log: Logger }

/** What came of a callback. `unknown`: it names nothing of ours, so no secret can verify it; it is logged and changes nothing. */
export type CallbackResult = CallbackOutcome | 'duplicate' | 'unknown'

/** What to do about a callback, decided before anything is written. */
export type CallbackVerdict =
  | { kind: 'answered'; outcome: ItemOutcome<CallbackResult> }
  /** Stored for staff; changes nothing. */
  | {
      kind: 'kept'
      outcome: 'mismatch' | 'not_finished'
      callback: MachineCallback
      candidates: readonly Candidate[]
    }
  | { kind: 'reported'; callback: MachineCallback; candidate: Candidate; to: DispenseOutcome }

const JAMMED = 'the machine reported a jam'

/** Judges a callback by the steps of contract.md 6.3 from the third on, in their order. */
export function judgeCallback(
  receiver: CallbackReceiver,
  callback: MachineCallback,
  { candidates, trust }: { candidates: readonly Candidate[]; trust: CallbackTrust },
): CallbackVerdict {
  try {
    if (candidates.length === 0) return answeredVerdict(answerUnknown(receiver, callback))
    const signed = candidates.filter((candidate) => isSignedBy(trust, candidate, callback))
    if (signed.length === 0) throw invalidSignature()
    if (Math.abs(receiver.clock.nowMs() - callback.sentAtMs) > FRESH_MS)
      throw new Refusal(401, 'unauthorized', 'timestamp outside the allowed window')
    const [newest, ...older] = signed.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
    if (newest === undefined || older.some(({ merchantId }) => merchantId !== newest.merchantId))
      return { kind: 'kept', outcome: 'mismatch', callback, candidates: signed }
    return judgeSigned(receiver, callback, { candidate: newest, trust })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { kind: 'answered', outcome: itemFailed(error) }
  }
}

const answeredVerdict = (result: CallbackResult): CallbackVerdict => ({
  kind: 'answered',
  outcome: itemDone(result),
})

function isSignedBy(trust: CallbackTrust, candidate: Candidate, callback: MachineCallback): boolean {
  const secrets = trust.secretsOf(candidate).map(({ secret }) => secret)
  return findSigner(secrets, callback) !== null
}

function judgeSigned(
  receiver: CallbackReceiver,
  callback: MachineCallback,
  { candidate, trust }: { candidate: Candidate; trust: CallbackTrust },
): CallbackVerdict {
  const servedOrder = trust.servedBy({ ...candidate, ...callback })
  if (servedOrder !== null) return answeredVerdict(answerRepeat(receiver, candidate, servedOrder))
  const report = parseCallbackReport(callback)
  const candidates = [candidate]
  const goods = findCommandedGoods(candidate, callback.machine)
  if (candidate.torn || goods === null) return { kind: 'kept', outcome: 'mismatch', callback, candidates }
  if (report.kind === 'not_finished') return { kind: 'kept', outcome: 'not_finished', callback, candidates }
  return { kind: 'reported', callback, candidate, to: decideOutcome(report, goods) }
}

/** Decides the outcome that a report means: without any unit it is a jam, with fewer products than ordered a delivery with a note (step 9). */
function decideOutcome(
  { units, result }: Extract<CallbackReport, { kind: 'done' }>,
  goods: readonly Goods[],
): DispenseOutcome {
  if (units === 0) return { status: 'failed', confirmed: true, result, error: JAMMED }
  const { delivered, products } = countDelivered(goods, result)
  const note = delivered < products ? `${delivered} of ${products} products delivered` : null
  return { status: 'dispensed', confirmed: true, result, note }
}

function answerRepeat({ log }: CallbackReceiver, candidate: Candidate, served: string): CallbackResult {
  if (isAbout(candidate, served)) return 'duplicate'
  log.warn({ object_id: candidate.orderId, served }, 'a callback with the sign of another order was not applied')
  return 'mismatch'
}

function answerUnknown({ log }: CallbackReceiver, { orderId, chargeId, machine }: MachineCallback): CallbackResult {
  // Without any id, the callback can never be matched to an order.
  if (orderId === null && chargeId === null && machine === null)
    throw new Refusal(400, 'bad_request', 'jqbh is required')
  const named = { order: echo(orderId ?? ''), charge: echo(chargeId ?? ''), machine: echo(machine ?? '') }
  log.warn(named, 'a callback about an unknown order or machine')
  return 'unknown'
}
