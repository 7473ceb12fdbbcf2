import { allow } from '../actors/allow.ts'
import type { App } from '../app.ts'
import type { Answer } from '../http/caller.ts'
import { type Created, type CreateRequest, createUnderKeys } from '../idempotency/create-under-keys.ts'
import { findKeys, type KeyOwner, type KeyUse } from '../idempotency/keys.ts'
import { knowingHolders } from '../idempotency/under-key.ts'
import { distinctHeads } from '../ledger/head-places.ts'
import { type MerchantTerms, termsOf } from '../merchants/merchant.ts'
import { assert } from '../platform/assert.ts'
import { type Batch, batch } from '../platform/batch.ts'
import type { Outcome, RunTurn } from '../platform/batch-run.ts'
import { crashPoint } from '../platform/crash-point.ts'
import type { Tx } from '../platform/db/database.ts'
import { defineRequestLane } from '../platform/lane.ts'
import type { Refusal } from '../platform/refusal.ts'
import { soon } from '../platform/soon.ts'
import type { Spent } from '../platform/spent.ts'
import { addAttempts, type NewAttempt } from '../rails/attempts.ts'
import { lockNamedSubaccounts } from '../subaccounts/named-subaccounts.ts'
import { addShares } from '../subaccounts/shares.ts'
import type { KnownSubaccounts } from '../subaccounts/split.ts'
import { chargeJson } from './charge-json.ts'
import { type ChargeReadiness, chargeReadiness } from './charge-readiness.ts'
import type { ChargeCreate } from './charge-request.ts'
import { judgeCharge, railUnavailable } from './charge-rules.ts'
import { keepUntilDue, keptTestCharges } from './due-test-charges.ts'
import { balanceFull, type Headroom, headroomFor, heldBy } from './headroom.ts'
import { endExpectedMs, endsTakeMs } from './move-charge.ts'
import { attemptOf, newCharge } from './new-charge.ts'
import { submitLiveCharge } from './submit-live-charge.ts'
import { addCharges, type NewCharge } from './write-charges.ts'

/** One POST /v1/charges with a valid body. */
type ChargeRequest = CreateRequest<ChargeCreate>

/** The same with its key and the readiness of its rail: `installation` is that of a live rail. */
type WantedCharge = ChargeRequest & KeyUse & { installation: string | null; readiness: Refusal | null }
type ChargeCreation = Batch<WantedCharge, Created<NewCharge>>

const UNHELD_MS = 500
const LONGEST_HOLD_MS = 250

/**
 * Creates a charge, or repeats the stored answer of its Idempotency-Key (spec 4.1; contract.md 3 h, 3 i).
 * Throws Refusal for what is not kept under the key, keyInFlight (409) while the first request is under way.
 */
export function createCharge(app: App, request: ChargeRequest): Promise<Answer> {
  allow(request.caller, 'charge.create')
  const { merchantId, mode } = request.caller
  const owner = { merchantId, mode, key: request.key }
  // Without `async` down to the batch: its frames would stay in memory for as long as a payment waits.
  return app.keysInFlight.during(owner, () =>
    soon(chargeReadiness(app, { mode, channel: request.input.channel }), (found) => {
      const ready = readinessOf(found)
      return knowingHolders(() => chargeCreation(app).add(wantedCharge(request, ready))).then((created) =>
        submitted(app, {
          created,
          installation: ready.installation,
          owner,
          spent: request.caller.spent ?? null,
        }),
      )
    }),
  )
}

/** A live charge goes to its rail; the answer of a test charge is complete. */
function submitted(
  app: App,
  {
    created,
    installation,
    owner,
    spent,
  }: { created: Created<NewCharge>; installation: string | null; owner: KeyOwner; spent: Spent | null },
): Answer | Promise<Answer> {
  if (created.stored === undefined) return created
  crashPoint('key.reserved')
  assert(installation !== null, 'a stored live charge has an installation')
  const { made: charge, mark } = created.stored
  const held = { ...owner, objectId: charge.id }
  return submitLiveCharge(app, { charge, mark, installation, owner: held, spent })
}

// Field by field here and below, because spreading objects costs several times as much and every payment comes through
// here.
function wantedCharge(
  request: ChargeRequest,
  ready: Pick<WantedCharge, 'installation' | 'readiness'>,
): WantedCharge {
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
      run: (wanted, turn) => storeCharges(app, wanted, turn),
      laneOf: ({ merchantId }) => merchantId,
      spentBy: ({ caller }) => caller.spent ?? null,
      gatherMs: () => holdMs(app),
    }),
  endsBehindMs,
)

/**
 * How late a charge of now would end, in ms, because of what was taken before: more than can be ended is not taken. It counts the test
 * charges that are not due yet: a judgement by how late others end now would come when as many again have been taken.
 */
function endsBehindMs(app: App): number {
  const testMs = endExpectedMs(app, keptTestCharges(app)) - app.config.sandboxOutcomeSeconds * 1000
  return Math.max(endExpectedMs(app), testMs)
}

/**
 * How long the next batch waits so that ends keep up, in ms. Clients that wait for their answers send more than can be ended; this slows
 * them down before anybody must be refused. A burst passes unheld.
 */
function holdMs(app: App): number {
  const testMs = endsTakeMs(app, keptTestCharges(app)) - app.config.sandboxOutcomeSeconds * 1000
  const behindMs = Math.max(endsTakeMs(app, 0), testMs)
  return Math.min(LONGEST_HOLD_MS, Math.max(0, behindMs - UNHELD_MS))
}

const readinessOf = (found: ChargeReadiness) =>
  found.kind === 'ready'
    ? { installation: found.installation, readiness: null }
    : { installation: null, readiness: railUnavailable(found.retryAfterSeconds) }

async function storeCharges(
  app: App,
  wanted: readonly WantedCharge[],
  turn: RunTurn,
): Promise<Outcome<Created<NewCharge>>[]> {
  const at = app.clock.now()
  const places = distinctHeads(wanted)
  return app.exactWindows.charges.counted(wanted, at.getTime(), async (counting) => {
    const { outcomes, made } = await app.db.transactionFor({ kind: 'in', ...turn }, async (tx) => {
      const [terms, keys, held, ...locked] = await tx.send(
        termsOf([...new Set(places.map((place) => place.merchantId))]),
        findKeys(wanted),
        heldBy(places),
        ...counting.lock(),
      )
      const windows = counting.open(locked)
      const bounds: Bounds = {
        terms: new Map(terms.map((terms) => [terms.id, terms])),
        subaccounts: await lockSubaccounts(tx, wanted),
        room: await headroomFor(tx, wanted.map(amountOf), held),
        at,
      }
      const { outcomes, made, requests, addKeys } = createUnderKeys(wanted, {
        keys,
        windows,
        at,
        decide: (wantedCharge) => acceptCharge(app, wantedCharge, bounds),
        bodyOf: (charge) => (charge.mode === 'live' ? null : chargeJson(charge)),
      })
      return {
        value: { outcomes, made },
        last: [
          ...addKeys(),
          ...addCharges(made),
          ...addShares(made.flatMap((charge) => charge.split ?? [])),
          ...addAttempts(app, liveAttempts(made, requests)),
          ...windows.writes(),
        ],
      }
    })
    keepUntilDue(app, made.filter(isTest))
    return outcomes
  })
}

const isTest = ({ mode }: NewCharge) => mode === 'test'

/** What the transaction has read and locked for the rules. */
type Bounds = {
  terms: ReadonlyMap<number, MerchantTerms>
  subaccounts: ReadonlyMap<number, KnownSubaccounts>
  room: Headroom
  at: Date
}

const NOBODY: KnownSubaccounts = new Map()
const NONE: ReadonlyMap<number, KnownSubaccounts> = new Map()

/** Sends nothing when no charge of the batch has a split. */
async function lockSubaccounts(tx: Tx, wanted: readonly WantedCharge[]): Promise<Bounds['subaccounts']> {
  if (wanted.every(({ input }) => input.split === undefined)) return NONE
  const requests = wanted.map(({ caller: { merchantId, tag }, input: { split = [] } }) => ({
    merchantId,
    tag,
    split,
  }))
  return lockNamedSubaccounts(tx, requests)
}

/** The rules, and the new charge. Throws Refusal. */
function acceptCharge(app: App, wanted: WantedCharge, bounds: Bounds): NewCharge {
  const { caller, input, readiness } = wanted
  const terms = bounds.terms.get(caller.merchantId)
  assert(terms, 'a merchant with a key has a row')
  const judged = judgeCharge(input, {
    terms,
    mode: caller.mode,
    config: app.config,
    subaccounts: bounds.subaccounts.get(caller.merchantId) ?? NOBODY,
    readiness,
  })
  if (!bounds.room.take(amountOf(wanted))) throw balanceFull()
  return newCharge(app, wanted, { judged, at: bounds.at })
}

const amountOf = ({ merchantId, mode, input: { amount } }: WantedCharge) => ({ merchantId, mode, amount })

const liveAttempts = (charges: readonly NewCharge[], requests: readonly WantedCharge[]): NewAttempt[] =>
  charges.flatMap((charge, index) =>
    charge.mode === 'live' ? attemptOf(charge, requests[index]?.installation ?? null) : [],
  )
