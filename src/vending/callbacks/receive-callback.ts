import { hash } from 'node:crypto'
import type { Actor } from '../../actors/actor.ts'
import { allow } from '../../actors/allow.ts'
import { batch } from '../../platform/batch.ts'
import { done, type Outcome } from '../../platform/batch-run.ts'
import { crashPoint } from '../../platform/crash-point.ts'
import { groupBy } from '../../platform/group-by.ts'
import { runApart } from '../../platform/run-apart.ts'
import { echo } from '../../platform/text.ts'
import { type DispenseMove, type DispenseMoved, dispenseOf } from '../dispensing/dispense-move.ts'
import { moveDispenses } from '../dispensing/move-dispense.ts'
import { type Belief, believe, type Received, type Receiver } from './believe-callback.ts'
import { type Callback, readCallback } from './callback-body.ts'
import { trustOfBatch } from './callback-trust.ts'
import { candidatesOf } from './match-callback.ts'
import { addNewCallbacks, keptCallback, outcomeOf } from './vendor-callbacks.ts'

type Kept = Extract<Belief, { kind: 'kept' }>
type Reported = Extract<Belief, { kind: 'reported' }>

const AT_ONCE = 50
// How long to wait for further callbacks, since two in one transaction cost little more than one. Suppliers' servers do not notice the delay.
const GATHER_MS = 7

/**
 * Makes the receiver of callbacks of machine suppliers. It works in batches, one after the other for callbacks about the same
 * order. A message takes effect at most once, and only as far as its signature covers it. The receiver throws Refusal if the
 * supplier has to send another one (contract.md 6.3, 6.4).
 */
export function callbackReceiver(receiver: Receiver): (actor: Actor, body: Buffer) => Promise<Received> {
  const turns = batch<Callback, Received>({
    run: (callbacks) => runApart(callbacks, nameOf, (some) => takeAll(receiver, some)),
    laneOf: (callback) => hash('md5', nameOf(callback), 'buffer').readUInt32BE(),
    max: AT_ONCE,
    gatherMs: () => GATHER_MS,
  })
  return async (actor, body) => {
    allow(actor, 'callback.receive')
    return turns.add(readCallback(body))
  }
}

const nameOf = ({ orderId, chargeId, machine }: Callback) => orderId ?? chargeId ?? machine ?? ''

async function takeAll(receiver: Receiver, callbacks: readonly Callback[]): Promise<Outcome<Received>[]> {
  const trust = trustOfBatch()
  const candidates = await candidatesOf(receiver, callbacks, trust)
  const verdicts = callbacks.map((callback, index) =>
    believe(receiver, callback, { candidates: candidates[index] ?? [], trust }),
  )
  const kept = verdicts.filter((verdict) => verdict.kind === 'kept')
  const reported = verdicts.filter((verdict) => verdict.kind === 'reported')
  if (kept.length + reported.length > 0) crashPoint('callback.verified')
  await keepAll(receiver, kept)
  const moved = await moveAll(receiver, reported)
  if (reported.length > 0) crashPoint('callback.applied')
  return verdicts.map((verdict) => {
    if (verdict.kind === 'answered') return verdict.outcome
    return verdict.kind === 'kept' ? done(verdict.outcome) : (moved.get(verdict) as Outcome<Received>)
  })
}

async function keepAll(receiver: Receiver, kept: readonly Kept[]): Promise<void> {
  const rows = kept.flatMap(({ callback, outcome, candidates }) =>
    candidates.map((candidate) => {
      if (outcome === 'mismatch') flag(receiver, { callback, candidate, outcome })
      const at = candidate.app.clock.now()
      return { app: candidate.app, row: keptCallback(candidate, { callback, outcome, at }) }
    }),
  )
  for (const [app, own] of groupBy(rows, ({ app }) => app)) {
    const addCall = addNewCallbacks(own.map(({ row }) => row))
    await app.db.query(addCall.statement, addCall.values)
  }
}

async function moveAll(
  receiver: Receiver,
  reported: readonly Reported[],
): Promise<Map<Belief, Outcome<Received>>> {
  const outcomes = new Map<Belief, Outcome<Received>>()
  for (const [app, own] of groupBy(reported, ({ candidate }) => candidate.app)) {
    const moved = await moveDispenses(app, own.map(moveOf))
    for (const [index, verdict] of own.entries())
      outcomes.set(verdict, received(receiver, verdict, moved[index] as Outcome<DispenseMoved>))
  }
  return outcomes
}

function moveOf({ callback, candidate, to }: Reported): DispenseMove {
  const { app, merchantId, kind, orderId, chargeId } = candidate
  const at = app.clock.now()
  const kept = (verdict: DispenseMoved) =>
    keptCallback(candidate, { callback, outcome: outcomeOf(verdict, to.status), at })
  const message = { sign: callback.sign, kept }
  const saidAt = new Date(callback.sentByMs)
  const target = dispenseOf({ kind, merchantId, orderId, chargeId: chargeId ?? '' })
  return { ...target, to, source: 'callback', saidAt, machine: callback.machine, message }
}

function received(
  receiver: Receiver,
  { callback, candidate, to }: Reported,
  moved: Outcome<DispenseMoved>,
): Outcome<Received> {
  if (!moved.ok) return moved
  // Another copy was faster, or its signature was stored for another order in the meantime.
  if (moved.value === 'seen') return done('duplicate')
  const outcome = outcomeOf(moved.value, to.status)
  if (outcome === 'contradiction' || outcome === 'unpaid' || outcome === 'refunded')
    flag(receiver, { callback, candidate, outcome })
  return done(outcome)
}

function flag(
  { log }: Receiver,
  { callback, candidate, outcome }: Pick<Reported, 'callback' | 'candidate'> & { outcome: Received },
): void {
  const { orderId, merchantId } = candidate
  const facts = { object_id: orderId, merchant: merchantId, machine: echo(callback.machine ?? ''), outcome }
  log.warn(facts, 'a callback of a machine supplier changed nothing')
}
