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
import { knowingHolders } from '../idempotency/under-key.ts'
import { type MerchantTerms, termsOf } from '../merchants/merchant.ts'
import { assert } from '../platform/assert.ts'
import { type Batch, batch, done, failed, type Outcome, type RunTurn } from '../platform/batch.ts'
import { crashPoint } from '../platform/crash-point.ts'
import type { Tx } from '../platform/db/database.ts'
import { defineRequestLane } from '../platform/lane.ts'
import { Refusal } from '../platform/refusal.ts'
import { addAttempts, type NewAttempt } from '../rails/attempts.ts'
import type { OpenWindows } from '../rate-limits/exact-window.ts'
import { lockNamedSubaccounts } from '../subaccounts/named-subaccounts.ts'
import { addShares } from '../subaccounts/shares.ts'
import type { KnownSubaccounts } from '../subaccounts/split.ts'
import { presentCharge } from './charge.ts'
import type { ChargeCreate } from './charge-request.ts'
import { judgeCharge, railUnavailable } from './charge-rules.ts'
import { balanceFull, type Headroom, headroomFor, heldBy } from './headroom.ts'
import { attemptOf, newCharge } from './new-charge.ts'
import { submitLiveCharge } from './submit-live-charge.ts'
import { addCharges, type NewCharge } from './write-charges.ts'

/** One POST /v1/charges with a valid body. */
export type ChargeRequest = {
  caller: Caller
  key: string
  fingerprint: Buffer
  requestId: string
  input: ChargeCreate
}

/** The answer, or for a live charge the stored row whose rail must still be asked. */
export type Created = Answer & { stored?: NewCharge }
type Item = ChargeRequest & KeyUse & { installation: string | null; readiness: Refusal | null }
type Plan = {
  outcome: Outcome<Created>
  key?: KeyUse & { answer: StoredAnswer | null; objectId: string | null }
  charge?: NewCharge
  attempt?: NewAttempt
}

export type ChargeCreation = Batch<Item, Created>

const READINESS_WAIT_MS = 2000

/**
 * Creates a charge, or repeats the stored answer of its Idempotency-Key (spec 4.1; contract.md 3 h, 3 i).
 * Throws Refusal for what is not kept under the key, keyInFlight (409) while the first request is under way.
 */
export async function createCharge(app: App, request: ChargeRequest): Promise<Answer> {
  const { merchantId, mode } = request.caller
  const owner = { merchantId, mode, key: request.key }
  return app.keysInFlight.during(owner, async () => {
    const ready = await railReadiness(app, request)
    const created = await knowingHolders(() => chargeCreation(app).add(itemOf(request, ready)))
    if (created.stored === undefined) return created
    crashPoint('key.reserved')
    assert(ready.installation !== null, 'a stored live charge has an installation')
    return submitLiveCharge(app, { charge: created.stored, installation: ready.installation, owner })
  })
}

// Field by field here and below, because spreading objects costs several times as much and every payment comes through
// here.
function itemOf(request: ChargeRequest, ready: Pick<Item, 'installation' | 'readiness'>): Item {
  return {
    caller: request.caller,
    key: request.key,
    fingerprint: request.fingerprint,
    requestId: request.requestId,
    input: request.input,
    merchantId: request.caller.merchantId,
    mode: request.caller.mode,
    installation: ready.installation,
    readiness: ready.readiness,
  }
}

/** The batch that stores charges: one transaction for everything that arrived while the previous one was running. */
const chargeCreation = defineRequestLane(
  'create charges',
  'charges',
  (app): ChargeCreation =>
    batch({
      run: (items, turn) => storeCharges(app, items, turn),
      laneOf: (item) => item.caller.merchantId,
    }),
)

async function railReadiness(app: App, { caller, input }: ChargeRequest) {
  const rail = app.rails[caller.mode][input.channel]
  if (!rail?.collect) return { installation: null, readiness: railUnavailable() }
  assert(caller.mode === 'test' || !rail.simulated, 'a live movement never meets a simulated rail')
  if (rail.simulated) return { installation: null, readiness: null }
  const verdict = await rail.readiness('collect', app.deadlineIn(READINESS_WAIT_MS))
  if (verdict.kind === 'ready') return { installation: verdict.installation, readiness: null }
  return { installation: null, readiness: railUnavailable(verdict.retryAfterSeconds) }
}

async function storeCharges(app: App, items: readonly Item[], turn: RunTurn): Promise<Outcome<Created>[]> {
  const at = app.clock.now()
  const places = distinctPlaces(items)
  return app.db.transactionFor({ kind: 'in', ...turn }, async (tx) => {
    const [terms, keys, held, ...windows] = await tx.send(
      termsOf([...new Set(places.map((place) => place.merchantId))]),
      findKeys(items),
      heldBy(places),
      ...app.exactWindows.charges.lock(places),
    )
    const known = {
      terms: new Map(terms.map((one) => [one.id, one])),
      keys: new Map(keys.map((row) => [ownerName(row), row])),
      windows: app.exactWindows.charges.open(windows, at.getTime()),
      subaccounts: await lockSubaccounts(tx, items),
      room: await headroomFor(tx, items.map(wantedBy), held),
    }
    const plans = items.map((item) => planItem(app, item, { ...known, at }))
    const charges = plans.flatMap((plan) => plan.charge ?? [])
    return {
      value: plans.map((plan) => plan.outcome),
      last: [
        ...addKeys(
          plans.flatMap((plan) => plan.key ?? []),
          at,
        ),
        ...addCharges(charges),
        ...addShares(charges.flatMap((charge) => charge.split ?? [])),
        ...addAttempts(plans.flatMap((plan) => plan.attempt ?? [])),
        ...known.windows.writes(),
      ],
    }
  })
}

type Known = {
  terms: Map<number, MerchantTerms>
  keys: Map<string, KeyRow>
  windows: OpenWindows
  subaccounts: ReadonlyMap<number, KnownSubaccounts>
  room: Headroom
  at: Date
}

const NOBODY: KnownSubaccounts = new Map()
const NONE: ReadonlyMap<number, KnownSubaccounts> = new Map()

/** Sends nothing when no charge of the batch has a split. */
async function lockSubaccounts(tx: Tx, items: readonly Item[]): Promise<Known['subaccounts']> {
  if (items.every(({ input }) => input.split === undefined)) return NONE
  const requests = items.map(({ caller: { merchantId, tag }, input: { split = [] } }) => ({
    merchantId,
    tag,
    split,
  }))
  return lockNamedSubaccounts(tx, requests)
}

/** Decides one request on what the transaction has read: over the limit, a replay, a refusal that is kept, or a new charge. */
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
    const terms = known.terms.get(caller.merchantId)
    assert(terms, 'a merchant with a key has a row')
    const judged = judgeCharge(item.input, {
      terms,
      mode: caller.mode,
      config: app.config,
      subaccounts: known.subaccounts.get(caller.merchantId) ?? NOBODY,
      readiness: item.readiness,
    })
    if (!known.room.take(wantedBy(item))) throw balanceFull()
    known.windows.take(caller)
    return storePlan(item, newCharge(app, item, { judged, at: known.at }))
  } catch (error) {
    if (error instanceof Refusal && error.stored) return refusedPlan(item, error)
    return { outcome: failed(error) }
  }
}

function storePlan(item: Item, charge: NewCharge): Plan {
  const { id: objectId } = charge
  if (charge.mode === 'live') {
    const running = { status: 201, body: '', stored: charge, objectId }
    return {
      outcome: done(running),
      key: keyOf(item, null, objectId),
      charge,
      attempt: attemptOf(charge, item.installation),
    }
  }
  const answer = { status: 201, body: JSON.stringify(presentCharge(charge)), objectId }
  return { outcome: done(answer), key: keyOf(item, answer, objectId), charge }
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

const wantedBy = ({ merchantId, mode, input: { amount } }: Item) => ({ merchantId, mode, amount })

function distinctPlaces(items: readonly Item[]) {
  const places = new Map(items.map((item) => [`${item.merchantId} ${item.mode}`, item]))
  return [...places.values()].map(({ merchantId, mode }) => ({ merchantId, mode }))
}
