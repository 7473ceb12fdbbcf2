import { hash } from 'node:crypto'
import type { Logger } from 'pino'
import { batch, done, failed } from '../platform/batch.ts'
import type { Clock } from '../platform/clock.ts'
import { crashPoint } from '../platform/crash-point.ts'
import { Refusal } from '../platform/refusal.ts'
import { echo } from '../platform/text.ts'
import {
  type Callback,
  FRESH_MS,
  invalidSignature,
  type Report,
  readCallback,
  readReport,
} from './callback-body.ts'
import { callbackSecrets } from './callback-secrets.ts'
import { whichSigned } from './callback-signing.ts'
import { type Candidate, candidatesOf, type Finder } from './match-callback.ts'
import { moveDirect } from './move-direct.ts'
import { moveOrder, type OrderMoved, type OrderOutcome } from './move-order.ts'
import { addCallback, type CallbackOutcome, orderOfSign, outcomeOf } from './vendor-callbacks.ts'

export type Receiver = Finder & { clock: Clock; log: Logger }

/** `unknown`: names nothing of ours, so there is no secret to check it against; it is logged, and nothing changes. */
export type Received = CallbackOutcome | 'duplicate' | 'unknown'

const JAMMED = 'the machine reported a jam'

// A machine that repeats itself must wait for itself, not take the connections that money needs.
const AT_ONCE = 4

/**
 * Takes messages of machine suppliers, those about one order in turn. Whatever is answered, the same message never does more
 * than once, and none does anything that its signature does not cover. Throws Refusal where the supplier has to send another
 * one (contract.md 6.3, 6.4).
 */
export function callbackReceiver(receiver: Receiver): (body: Buffer) => Promise<Received> {
  const turns = batch<Callback, Received>({
    run: (callbacks) => Promise.all(callbacks.map((one) => take(receiver, one).then(done, failed))),
    laneOf,
    lanes: AT_ONCE,
    max: 1,
  })
  return async (body) => turns.add(readCallback(body))
}

const laneOf = ({ orderId, chargeId, machine }: Callback) =>
  hash('md5', orderId ?? chargeId ?? machine ?? '', 'buffer').readUInt32BE()

/** The steps of contract.md 6.3 from the third on, in their order. */
async function take(receiver: Receiver, callback: Callback): Promise<Received> {
  const candidates = await candidatesOf(receiver, callback)
  if (candidates.length === 0) return unknown(receiver, callback)
  const signed = await whoSigned(candidates, callback)
  if (signed.length === 0) throw invalidSignature()
  crashPoint('callback.verified')
  if (Math.abs(receiver.clock.nowMs() - callback.sentAtMs) > FRESH_MS)
    throw new Refusal(401, 'unauthorized', 'timestamp outside the allowed window')
  const [newest, ...older] = signed.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
  if (newest === undefined || older.some(({ merchantId }) => merchantId !== newest.merchantId))
    return mismatch(receiver, callback, signed)
  return takeSigned(receiver, callback, newest)
}

/** Those of whose secrets one has signed. All are looked at, whatever is found. */
async function whoSigned(candidates: readonly Candidate[], callback: Callback): Promise<Candidate[]> {
  const own = await Promise.all(
    candidates.map(async (candidate) => {
      const secrets = await callbackSecrets(candidate.app, candidate)
      return whichSigned(
        secrets.map(({ secret }) => secret),
        callback,
      )
    }),
  )
  return candidates.filter((_, at) => own[at] !== null)
}

async function takeSigned(receiver: Receiver, callback: Callback, candidate: Candidate): Promise<Received> {
  const served = await orderOfSign(candidate.app, candidate.merchantId, callback.sign)
  if (served !== null) return seenBefore(receiver, candidate, served)
  const report = readReport(callback)
  if (candidate.torn || callback.machine !== candidate.machine)
    return mismatch(receiver, callback, [candidate])
  if (report.kind === 'not_finished') return keep(callback, candidate, 'not_finished')
  const to = outcomeOfReport(report, candidate.products)
  const moved = await move(callback, candidate, to)
  crashPoint('callback.applied')
  // Another copy of it was faster, or it had served another order meanwhile.
  if (moved === 'seen') return 'duplicate'
  const outcome = outcomeOf(moved, to.status)
  if (outcome === 'contradiction' || outcome === 'unpaid' || outcome === 'refunded')
    flag(receiver, callback, { outcome, candidate })
  return outcome
}

/** Units in all decide; fewer than there are products is a delivery with a remark (step 9). */
function outcomeOfReport(
  { units, result }: Extract<Report, { kind: 'done' }>,
  products: number,
): OrderOutcome {
  if (units === 0) return { status: 'failed', confirmed: true, result, error: JAMMED }
  const note = units < products ? `${units} of ${products} products delivered` : null
  return { status: 'dispensed', confirmed: true, result, note }
}

function move(callback: Callback, candidate: Candidate, to: OrderOutcome): Promise<OrderMoved> {
  const { app, merchantId, kind, orderId, chargeId } = candidate
  const at = app.clock.now()
  const record = (verdict: OrderMoved) =>
    addCallback(candidate, { callback, outcome: outcomeOf(verdict, to.status), at })
  if (kind === 'order') return moveOrder(app, { merchantId, id: orderId, to, source: 'callback', record })
  return moveDirect(app, { merchantId, chargeId: chargeId ?? '', to, record })
}

/** Kept for the operator, changes nothing. */
async function keep(
  callback: Callback,
  candidate: Candidate,
  outcome: CallbackOutcome,
): Promise<CallbackOutcome> {
  const { app } = candidate
  const kept = addCallback(candidate, { callback, outcome, at: app.clock.now() })
  await app.db.query(kept.statement, kept.values)
  return outcome
}

function seenBefore(receiver: Receiver, candidate: Candidate, served: string): Received {
  if (served === candidate.orderId) return 'duplicate'
  receiver.log.warn(
    { object_id: candidate.orderId, served },
    'a callback with the sign of another order was not applied',
  )
  return 'mismatch'
}

async function mismatch(
  receiver: Receiver,
  callback: Callback,
  candidates: readonly Candidate[],
): Promise<Received> {
  for (const candidate of candidates) {
    await keep(callback, candidate, 'mismatch')
    flag(receiver, callback, { outcome: 'mismatch', candidate })
  }
  return 'mismatch'
}

function flag(
  { log }: Receiver,
  { machine }: Callback,
  { outcome, candidate }: { outcome: CallbackOutcome; candidate: Candidate },
): void {
  const { orderId, merchantId } = candidate
  const told = { object_id: orderId, merchant: merchantId, machine: echo(machine ?? ''), outcome }
  log.warn(told, 'a callback of a machine supplier changed nothing')
}

function unknown({ log }: Receiver, { orderId, chargeId, machine }: Callback): Received {
  // Without any name there is nothing to look for, and never will be.
  if (orderId === null && chargeId === null && machine === null)
    throw new Refusal(400, 'bad_request', 'jqbh is required')
  const named = { order: echo(orderId ?? ''), charge: echo(chargeId ?? ''), machine: echo(machine ?? '') }
  log.warn(named, 'a callback about an unknown order or machine')
  return 'unknown'
}
