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

/** The request with its key and the readiness of its rail. `installation` is the one that will carry a live charge. */
type WantedCharge = ChargeRequest & KeyUse & { installation: string | null; readiness: Refusal | null }
type ChargeCreation = Batch<WantedCharge, Created<NewCharge>>

// A backlog of completions up to this long delays no batch, and no batch is delayed for longer than that.
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
  // No `async` from here down to the batch, because its frames would stay in memory for as long as a payment waits.
  return app.keysInFlight.during(owner, () =>
    soon(chargeReadiness(app, { mode, channel: request.input.channel }), (readiness) => {
      const ready = readinessOf(readiness)
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

/** Submits a stored live charge to its rail. A test charge, or a replay, has its answer already. */
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
  const heldKey = { ...owner, objectId: charge.id }
  return submitLiveCharge(app, { charge, mark, installation, owner: heldKey, spent })
}

// Objects are written field by field here and below: every payment passes, and spreading costs several times as much.
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
      run: (requests, turn) => storeCharges(app, requests, turn),
      laneOf: ({ merchantId }) => merchantId,
      spentBy: ({ caller }) => caller.spent ?? null,
      gatherMs: () => holdMs(app),
    }),
  endsBehindMs,
)

/**
 * How late (ms) a charge that is created now would be completed, because of those before it: the lane refuses more than can be completed.
 * Test charges that are not due yet count too. Judged only by how late charges are completed now, the refusals would start too late:
 * by then as many again would have been accepted.
 */
function endsBehindMs(app: App): number {
  const testMs = endExpectedMs(app, keptTestCharges(app)) - app.config.sandboxOutcomeSeconds * 1000
  return Math.max(endExpectedMs(app), testMs)
}

/**
 * How long to delay the next batch (ms), so that charges are not created faster than they can be completed. It slows down clients that
 * wait for their answers before any request must be refused. Short bursts are not delayed.
 */
function holdMs(app: App): number {
  const testMs = endsTakeMs(app, keptTestCharges(app)) - app.config.sandboxOutcomeSeconds * 1000
  const behindMs = Math.max(endsTakeMs(app, 0), testMs)
  return Math.min(LONGEST_HOLD_MS, Math.max(0, behindMs - UNHELD_MS))
}

const readinessOf = (readiness: ChargeReadiness) =>
  readiness.kind === 'ready'
    ? { installation: readiness.installation, readiness: null }
    : { installation: null, readiness: railUnavailable(readiness.retryAfterSeconds) }

async function storeCharges(
  app: App,
  batchRequests: readonly WantedCharge[],
  turn: RunTurn,
): Promise<Outcome<Created<NewCharge>>[]> {
  const at = app.clock.now()
  const merchantModes = distinctHeads(batchRequests)
  return app.exactWindows.charges.counted(batchRequests, at.getTime(), async (counting) => {
    const { outcomes, made } = await app.db.transactionFor({ kind: 'in', ...turn }, async (tx) => {
      const [terms, keys, totals, ...locked] = await tx.send(
        termsOf([...new Set(merchantModes.map(({ merchantId }) => merchantId))]),
        findKeys(batchRequests),
        heldBy(merchantModes),
        ...counting.lock(),
      )
      const windows = counting.open(locked)
      const bounds: Bounds = {
        terms: new Map(terms.map((terms) => [terms.id, terms])),
        subaccounts: await lockSubaccounts(tx, batchRequests),
        room: await headroomFor(tx, batchRequests.map(amountOf), totals),
        at,
      }
      const { outcomes, made, requests, addKeys } = createUnderKeys(batchRequests, {
        keys,
        windows,
        at,
        decide: (request) => acceptCharge(app, request, bounds),
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

/** The rows that the transaction has read and locked for the rules. */
type Bounds = {
  terms: ReadonlyMap<number, MerchantTerms>
  subaccounts: ReadonlyMap<number, KnownSubaccounts>
  room: Headroom
  at: Date
}

const NOBODY: KnownSubaccounts = new Map()
const NONE: ReadonlyMap<number, KnownSubaccounts> = new Map()

/** Locks the subaccounts that the splits name. Sends nothing when no charge of the batch has a split. */
async function lockSubaccounts(tx: Tx, requests: readonly WantedCharge[]): Promise<Bounds['subaccounts']> {
  if (requests.every(({ input }) => input.split === undefined)) return NONE
  const splits = requests.map(({ caller: { merchantId, tag }, input: { split = [] } }) => ({
    merchantId,
    tag,
    split,
  }))
  return lockNamedSubaccounts(tx, splits)
}

/** Judges a request by the rules and makes its charge. Throws Refusal. */
function acceptCharge(app: App, request: WantedCharge, bounds: Bounds): NewCharge {
  const { caller, input, readiness } = request
  const terms = bounds.terms.get(caller.merchantId)
  assert(terms, 'a merchant with a key has a row')
  const pricing = judgeCharge(input, {
    terms,
    mode: caller.mode,
    config: app.config,
    subaccounts: bounds.subaccounts.get(caller.merchantId) ?? NOBODY,
    readiness,
  })
  if (!bounds.room.take(amountOf(request))) throw balanceFull()
  return newCharge(app, request, { pricing, at: bounds.at })
}

const amountOf = ({ merchantId, mode, input: { amount } }: WantedCharge) => ({ merchantId, mode, amount })

const liveAttempts = (charges: readonly NewCharge[], requests: readonly WantedCharge[]): NewAttempt[] =>
  charges.flatMap((charge, index) =>
    charge.mode === 'live' ? attemptOf(charge, requests[index]?.installation ?? null) : [],
  )
