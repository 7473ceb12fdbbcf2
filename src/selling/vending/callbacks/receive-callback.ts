import { hash } from 'node:crypto'
import type { Actor } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { newBatch } from '../../../platform/batches/batch.ts'
import { type ItemOutcome, itemDone, itemFailed } from '../../../platform/batches/batch-run.ts'
import { runDistinct } from '../../../platform/batches/run-distinct.ts'
import { DatabaseAway } from '../../../platform/db/errors.ts'
import { groupBy } from '../../../platform/group-by.ts'
import { crashPoint } from '../../../platform/processes/crash-point.ts'
import { echo } from '../../../platform/text/text.ts'
import { type DispenseMove, type DispenseVerdict, dispenseTarget } from '../dispensing/dispense-move.ts'
import { moveDispenses } from '../dispensing/move-dispense.ts'
import { type MachineCallback, parseMachineCallback } from './callback-body.ts'
import { newCallbackTrust } from './callback-trust.ts'
import { type CallbackReceiver, type CallbackResult, type CallbackVerdict, judgeCallback } from './judge-callback.ts'
import { findCandidates } from './match-callback.ts'
import { addNewCallbacks, newStoredCallback, toCallbackOutcome } from './vendor-callbacks.ts'

type KeptVerdict = Extract<CallbackVerdict, { kind: 'kept' }>
type ReportedVerdict = Extract<CallbackVerdict, { kind: 'reported' }>

const CALLBACKS_AT_ONCE = 50
// How long to wait for further callbacks, since two in one transaction cost little more than one. Suppliers' servers do not notice the delay.
const GATHER_MS = 7

/**
 * Makes the receiver of callbacks of machine suppliers. It works in batches, one after the other for callbacks about the same
 * order. A message takes effect at most once, and only as far as its signature covers it. The receiver throws Refusal if the
 * supplier has to send another one (contract.md 6.3, 6.4).
 */
export function newCallbackReceiver(
  receiver: CallbackReceiver,
): (actor: Actor, body: Buffer) => Promise<CallbackResult> {
  const turns = newBatch<MachineCallback, CallbackResult>({
    run: (callbacks) => runDistinct(callbacks, callbackSubject, (some) => processEach(receiver, some)),
    keyOf: (callback) => hash('md5', callbackSubject(callback), 'buffer').readUInt32BE(),
    max: CALLBACKS_AT_ONCE,
    gatherMs: () => GATHER_MS,
  })
  return async (actor, body) => {
    allow(actor, 'callback.receive')
    return turns.add(parseMachineCallback(body))
  }
}

const callbackSubject = ({ orderId, chargeId, machine }: MachineCallback) => orderId ?? chargeId ?? machine ?? ''

/** Callbacks of several cells come together. Where one cell is away, those of the others are processed by themselves. */
async function processEach(
  receiver: CallbackReceiver,
  callbacks: readonly MachineCallback[],
): Promise<ItemOutcome<CallbackResult>[]> {
  try {
    return await processCallbacks(receiver, callbacks)
  } catch (error) {
    const alone = callbacks.length === 1 || receiver.gateway().cells.length === 1
    if (alone || !(error instanceof DatabaseAway)) throw error
  }
  const each = await Promise.all(
    callbacks.map((callback) => processCallbacks(receiver, [callback]).catch((error) => [itemFailed(error)])),
  )
  return each.flat()
}

async function processCallbacks(
  receiver: CallbackReceiver,
  callbacks: readonly MachineCallback[],
): Promise<ItemOutcome<CallbackResult>[]> {
  const trust = newCallbackTrust()
  const candidates = await findCandidates(receiver, callbacks, trust)
  const verdicts = callbacks.map((callback, index) =>
    judgeCallback(receiver, callback, { candidates: candidates[index] ?? [], trust }),
  )
  const kept = verdicts.filter((verdict) => verdict.kind === 'kept')
  const reported = verdicts.filter((verdict) => verdict.kind === 'reported')
  if (kept.length + reported.length > 0) crashPoint('callback.verified')
  await storeKept(receiver, kept)
  const moved = await moveReported(receiver, reported)
  if (reported.length > 0) crashPoint('callback.applied')
  return verdicts.map((verdict) => {
    if (verdict.kind === 'answered') return verdict.outcome
    return verdict.kind === 'kept' ? itemDone(verdict.outcome) : (moved.get(verdict) as ItemOutcome<CallbackResult>)
  })
}

async function storeKept(receiver: CallbackReceiver, kept: readonly KeptVerdict[]): Promise<void> {
  const rows = kept.flatMap(({ callback, outcome, candidates }) =>
    candidates.map((candidate) => {
      if (outcome === 'mismatch') warnUnapplied(receiver, { callback, candidate, outcome })
      const at = candidate.app.clock.now()
      return { app: candidate.app, row: newStoredCallback(candidate, { callback, outcome, at }) }
    }),
  )
  for (const [app, own] of groupBy(rows, ({ app }) => app)) {
    const addCall = addNewCallbacks(own.map(({ row }) => row))
    await app.db.query(addCall.statement, addCall.values)
  }
}

async function moveReported(
  receiver: CallbackReceiver,
  reported: readonly ReportedVerdict[],
): Promise<Map<CallbackVerdict, ItemOutcome<CallbackResult>>> {
  const outcomes = new Map<CallbackVerdict, ItemOutcome<CallbackResult>>()
  for (const [app, own] of groupBy(reported, ({ candidate }) => candidate.app)) {
    const moved = await moveDispenses(app, own.map(newMove))
    for (const [index, verdict] of own.entries())
      outcomes.set(verdict, toCallbackResult(receiver, verdict, moved[index] as ItemOutcome<DispenseVerdict>))
  }
  return outcomes
}

function newMove({ callback, candidate, to }: ReportedVerdict): DispenseMove {
  const { app, merchantId, kind, orderId, chargeId } = candidate
  const at = app.clock.now()
  const kept = (verdict: DispenseVerdict) =>
    newStoredCallback(candidate, { callback, outcome: toCallbackOutcome(verdict, to.status), at })
  const message = { sign: callback.sign, kept }
  const saidAt = new Date(callback.sentByMs)
  const target = dispenseTarget({ kind, merchantId, orderId, chargeId: chargeId ?? '' })
  return { ...target, to, source: 'callback', saidAt, machine: callback.machine, message }
}

function toCallbackResult(
  receiver: CallbackReceiver,
  { callback, candidate, to }: ReportedVerdict,
  moved: ItemOutcome<DispenseVerdict>,
): ItemOutcome<CallbackResult> {
  if (!moved.ok) return moved
  // Another copy was faster, or its signature was stored for another order in the meantime.
  if (moved.value === 'seen') return itemDone('duplicate')
  const outcome = toCallbackOutcome(moved.value, to.status)
  if (outcome === 'contradiction' || outcome === 'unpaid' || outcome === 'refunded')
    warnUnapplied(receiver, { callback, candidate, outcome })
  return itemDone(outcome)
}

function warnUnapplied(
  { log }: CallbackReceiver,
  { callback, candidate, outcome }: Pick<ReportedVerdict, 'callback' | 'candidate'> & { outcome: CallbackResult },
): void {
  const { orderId, merchantId } = candidate
  const facts = { object_id: orderId, merchant: merchantId, machine: echo(callback.machine ?? ''), outcome }
  log.warn(facts, 'a callback of a machine supplier changed nothing')
}
