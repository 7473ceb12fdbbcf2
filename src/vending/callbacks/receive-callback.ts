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
// Machines report to their supplier's server, which does not feel this, and two reports in one transaction cost little more than one.
const GATHER_MS = 7

/**
 * Takes callbacks of machine suppliers in batches, those about one order in turn. The same message acts at most once, and
 * none does more than its signature covers. Throws Refusal when the supplier has to send another one (contract.md 6.3,
 * 6.4).
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
  const found = await candidatesOf(receiver, callbacks, trust)
  const beliefs = callbacks.map((callback, index) =>
    believe(receiver, callback, { candidates: found[index] ?? [], trust }),
  )
  const kept = beliefs.filter((belief) => belief.kind === 'kept')
  const reported = beliefs.filter((belief) => belief.kind === 'reported')
  if (kept.length + reported.length > 0) crashPoint('callback.verified')
  await keepAll(receiver, kept)
  const moved = await moveAll(receiver, reported)
  if (reported.length > 0) crashPoint('callback.applied')
  return beliefs.map((belief) => {
    if (belief.kind === 'answered') return belief.outcome
    return belief.kind === 'kept' ? done(belief.outcome) : (moved.get(belief) as Outcome<Received>)
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
    const adding = addNewCallbacks(own.map(({ row }) => row))
    await app.db.query(adding.statement, adding.values)
  }
}

async function moveAll(
  receiver: Receiver,
  reported: readonly Reported[],
): Promise<Map<Belief, Outcome<Received>>> {
  const outcomes = new Map<Belief, Outcome<Received>>()
  for (const [app, own] of groupBy(reported, ({ candidate }) => candidate.app)) {
    const moved = await moveDispenses(app, own.map(moveOf))
    for (const [index, belief] of own.entries())
      outcomes.set(belief, received(receiver, belief, moved[index] as Outcome<DispenseMoved>))
  }
  return outcomes
}

function moveOf({ callback, candidate, to }: Reported): DispenseMove {
  const { app, merchantId, kind, orderId, chargeId } = candidate
  const at = app.clock.now()
  const kept = (verdict: DispenseMoved) =>
    keptCallback(candidate, { callback, outcome: outcomeOf(verdict, to.status), at })
  const said = { sign: callback.sign, kept }
  const saidAt = new Date(callback.sentByMs)
  const place = dispenseOf({ kind, merchantId, orderId, chargeId: chargeId ?? '' })
  return { ...place, to, source: 'callback', saidAt, machine: callback.machine, said }
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
  const told = { object_id: orderId, merchant: merchantId, machine: echo(callback.machine ?? ''), outcome }
  log.warn(told, 'a callback of a machine supplier changed nothing')
}
