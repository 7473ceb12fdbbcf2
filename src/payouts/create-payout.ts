import type { App } from '../app.ts'
import type { Answer, Caller } from '../http/caller.ts'
import { errorBody } from '../http/errors.ts'
import {
  addKeys,
  findKeys,
  type KeyRow,
  type KeyUse,
  ownerName,
  replayOf,
  type StoredAnswer,
} from '../idempotency/keys.ts'
import { knowingOthers } from '../idempotency/under-key.ts'
import { type Book, inOpenMonth, lockHeads, openBook } from '../ledger/book.ts'
import { type MerchantTerms, termsForPayout } from '../merchants/merchant.ts'
import { lockStops } from '../merchants/payout-freeze.ts'
import { assert } from '../platform/assert.ts'
import {
  type Batch,
  batch,
  batchByKind,
  done,
  failed,
  type Outcome,
  type RunTurn,
} from '../platform/batch.ts'
import { crashPoint } from '../platform/crash-point.ts'
import { defineRequestLane } from '../platform/lane.ts'
import { Refusal } from '../platform/refusal.ts'
import type { OpenWindows } from '../rate-limits/exact-window.ts'
import { type NewPayout, newPayout } from './new-payout.ts'
import { presentPayout } from './payout.ts'
import { type PayoutReadiness, payoutReadiness } from './payout-readiness.ts'
import { DEFAULT_PAYOUT_CHANNEL, type PayoutCreate } from './payout-request.ts'
import { insufficientBalance, judgePayout, unavailableRail } from './payout-rules.ts'
import { stopOf } from './payout-stops.ts'
import { costOf, reservePayout } from './reserve-payout.ts'
import { openSwitches, type Switches } from './sandbox-switch.ts'
import { submitLivePayout } from './sending/submit-live-payout.ts'
import { addPayouts } from './write-payouts.ts'

/** One POST /v1/payouts with a valid body. */
export type PayoutRequest = {
  caller: Caller
  key: string
  fingerprint: Buffer
  requestId: string
  input: PayoutCreate
}

/** The answer, or for a live payout the stored row whose rail must still be asked. */
type Created = Answer & { stored?: NewPayout }
type Item = PayoutRequest & KeyUse & { readiness: PayoutReadiness }
type Plan = {
  outcome: Outcome<Created>
  key?: KeyUse & { answer: StoredAnswer | null; objectId: string | null }
  payout?: NewPayout
  installation?: string
}
export type PayoutCreation = Batch<Item, Created>

/**
 * Creates a payout, or repeats the stored answer of its Idempotency-Key (spec 4.2; contract.md 3 h, 3 i, 3 j). Amount and
 * fee leave available in the commit that stores it. Throws Refusal for what is not kept under the key.
 */
export async function createPayout(app: App, request: PayoutRequest): Promise<Answer> {
  const { merchantId, mode } = request.caller
  const owner = { merchantId, mode, key: request.key }
  return app.keysInFlight.during(owner, async () => {
    const readiness = await payoutReadiness(app, {
      mode,
      channel: request.input.channel ?? DEFAULT_PAYOUT_CHANNEL,
    })
    const created = await knowingOthers(() =>
      payoutCreation(app).add({ ...request, merchantId, mode, readiness }),
    )
    if (created.stored === undefined) return created
    crashPoint('key.reserved')
    assert(readiness.kind === 'ready', 'a stored live payout has a rail')
    const { installation } = readiness
    return submitLivePayout(app, {
      payout: created.stored,
      installation,
      owner,
      requestId: request.requestId,
    })
  })
}

/**
 * The batch that stores payouts: one transaction for everything that arrived while the previous one was running. Test and
 * live never share one: live locks the merchant's row before the heads, an armed sandbox switch locks it after them.
 */
const payoutCreation = defineRequestLane('create payouts', 'payouts', (app): PayoutCreation => {
  const ofOneMode = () =>
    batch<Item, Created>({
      run: (items, turn) => inOpenMonth(() => storePayouts(app, items, turn)),
      laneOf: (item) => item.caller.merchantId,
    })
  return batchByKind({ test: ofOneMode(), live: ofOneMode() }, (item) => item.mode)
})

type Known = {
  terms: Map<number, MerchantTerms>
  keys: Map<string, KeyRow>
  windows: OpenWindows
  switches: Switches
  frozenFor: string | null
  book: Book
  at: Date
}

export async function storePayouts(
  app: App,
  items: readonly Item[],
  turn: Partial<RunTurn> = {},
): Promise<Outcome<Created>[]> {
  const at = app.clock.now()
  const places = distinctPlaces(items)
  return app.db.transactionFor({ kind: 'out', ...turn }, async (tx) => {
    const [terms, keys, stops, ...locked] = await tx.send(
      termsForPayout(places),
      findKeys(items),
      lockStops(),
      ...app.exactWindows.payouts.lock(places),
      lockHeads(places),
    )
    const heads = locked.at(-1) as never
    const testMerchants = new Set(items.filter((item) => item.mode === 'test').map((item) => item.merchantId))
    const known: Known = {
      terms: new Map(terms.map((one) => [one.id, one])),
      keys: new Map(keys.map((row) => [ownerName(row), row])),
      windows: app.exactWindows.payouts.open(locked.slice(0, -1), at.getTime()),
      switches: await openSwitches(
        tx,
        terms.filter((one) => testMerchants.has(one.id)),
      ),
      frozenFor: stops[0]?.frozenFor ?? null,
      book: openBook(heads, at),
      at,
    }
    const plans = items.map((item) => planItem(app, item, known))
    const stored = plans.filter((plan) => plan.payout !== undefined)
    return {
      value: plans.map((plan) => plan.outcome),
      last: [
        ...known.book.writes(),
        ...known.switches.writes(),
        ...addPayouts(
          stored.map((plan) => plan.payout as NewPayout),
          stored.map((plan) => plan.installation ?? ''),
        ),
        ...addKeys(
          plans.flatMap((plan) => plan.key ?? []),
          at,
        ),
        ...known.windows.writes(),
      ],
    }
  })
}

/** Decides one request on what the transaction has locked: over the limit, a replay, a refusal that is kept, or a payout. */
function planItem(app: App, item: Item, known: Known): Plan {
  const { caller } = item
  try {
    known.windows.check(caller)
    const seen = known.keys.get(ownerName(item))
    if (seen) {
      const stored = replayOf(seen, item.fingerprint)
      if (stored.status < 300) known.windows.take(caller)
      return { outcome: done({ ...stored, replayed: true }) }
    }
    const payout = acceptPayout(app, item, known)
    known.windows.take(caller)
    return storePlan(item, payout)
  } catch (error) {
    if (error instanceof Refusal && error.stored) return refusedPlan(item, error)
    return { outcome: failed(error) }
  }
}

/** The rules in the order of contract.md G14a; then the money is reserved. Throws Refusal with nothing posted. */
function acceptPayout(app: App, { caller, input, readiness }: Item, known: Known): NewPayout {
  const { merchantId, mode, tag } = caller
  const terms = known.terms.get(merchantId)
  assert(terms, 'a merchant with a key has a row')
  const channel = input.channel ?? DEFAULT_PAYOUT_CHANNEL
  judgePayout(
    { amount: input.amount, currency: input.currency ?? 'UGX', channel },
    { terms, mode, config: app.config },
  )
  const head = known.book.head(merchantId, mode)
  const stop = stopOf({ mode, frozenFor: known.frozenFor, head })
  if (stop !== null) throw stop
  const facts = {
    origin: { kind: 'payout' as const },
    amount: input.amount,
    channel,
    phone: input.recipient.phone,
    name: input.recipient.name ?? null,
    reference: input.reference ?? null,
    at: known.at,
  }
  const payout = newPayout(app, { merchantId, tag, mode }, facts)
  if (head.available < costOf(payout)) throw insufficientBalance(head.available, payout)
  if (readiness.kind === 'unavailable') throw unavailableRail(readiness)
  if (mode === 'test') payout.sandboxOutcome = known.switches.take(merchantId)
  reservePayout(known.book, payout)
  return payout
}

function storePlan(item: Item, payout: NewPayout): Plan {
  if (payout.mode === 'live') {
    assert(item.readiness.kind === 'ready', 'a live payout is stored for a rail that is ready')
    const running = { status: 201, body: '', stored: payout, objectId: payout.id }
    return {
      outcome: done(running),
      key: keyOf(item, null, payout.id),
      payout,
      installation: item.readiness.installation,
    }
  }
  const answer = { status: 201, body: JSON.stringify(presentPayout(payout)), objectId: payout.id }
  return { outcome: done(answer), key: keyOf(item, answer, payout.id), payout }
}

function keyOf(
  { merchantId, mode, key, fingerprint }: Item,
  answer: StoredAnswer | null,
  objectId: string | null,
) {
  return { merchantId, mode, key, fingerprint, answer, objectId }
}

function refusedPlan(item: Item, refusal: Refusal): Plan {
  const answer = { status: refusal.status, body: errorBody(refusal, item.requestId), objectId: null }
  return { outcome: done(answer), key: keyOf(item, answer, null) }
}

function distinctPlaces(items: readonly Item[]) {
  const places = new Map(items.map((item) => [`${item.merchantId} ${item.mode}`, item]))
  return [...places.values()].map(({ merchantId, mode }) => ({ merchantId, mode }))
}
