import { type CreatedAnswer, type CreateRequest, createUnderKeys } from '../../api/idempotency/create-under-keys.ts'
import { findKeys, type KeyRow, type KeyUse } from '../../api/idempotency/keys.ts'
import type { TransactionWindows } from '../../api/rate-limits/leased-window.ts'
import type { OpenWindows } from '../../api/rate-limits/open-windows.ts'
import { distinctMerchantModes } from '../../ledger/distinct-merchant-modes.ts'
import { findKnownTerms, forgetTerms, readTermsToRemember, rememberTerms } from '../../merchants/account/known-terms.ts'
import type { MerchantTerms } from '../../merchants/account/merchant.ts'
import { assert } from '../../platform/assert.ts'
import type { BatchTurn, ItemOutcome } from '../../platform/batches/batch-run.ts'
import type { Call, Tx } from '../../platform/db/database.ts'
import { isGuardBroken } from '../../platform/db/guarded.ts'
import { isUniqueViolation } from '../../platform/db/unique-violation.ts'
import type { MerchantMode } from '../../platform/mode.ts'
import type { Refusal } from '../../platform/refusal.ts'
import type { App } from '../../program/app.ts'
import { addAttempts, type NewAttempt } from '../../rails/attempts.ts'
import { lockNextEnds, mayHaveNextEnds, type NextEnds, NO_NEXT_ENDS } from '../../rails/next-ends.ts'
import { lockNamedSubaccounts } from '../subaccounts/named-subaccounts.ts'
import { addShares } from '../subaccounts/shares.ts'
import type { SubaccountStatuses } from '../subaccounts/split.ts'
import { chargeJson } from './charge-json.ts'
import type { ChargeCreate } from './charge-request.ts'
import { judgeCharge } from './charge-rules.ts'
import {
  balanceFull,
  balanceTotals,
  guardHeadroom,
  type Headroom,
  headroomFor,
  isNearlyFull,
  needsCounting,
  UNLIMITED,
} from './headroom.ts'
import { newCharge, newChargeAttempt } from './new-charge.ts'
import { firstLiveAnswer } from './submit-live-charge.ts'
import { applyNextEnd } from './test-charges/apply-next-end.ts'
import { keepUntilDue } from './test-charges/due-test-charges.ts'
import { addCharges, type NewCharge } from './write-charges.ts'

/** One POST /v1/charges with a valid body. */
export type ChargeRequest = CreateRequest<ChargeCreate>

/** The request with its key and the readiness of its rail. `installation` is the one that will carry a live charge. */
export type KeyedChargeRequest = ChargeRequest & KeyUse & { installation: string | null; readiness: Refusal | null }

/** A batch of requests, decided at one time. */
type ChargeBatch = { requests: readonly KeyedChargeRequest[]; merchantModes: readonly MerchantMode[]; at: Date }
type StoredCharges = { outcomes: ItemOutcome<CreatedAnswer<NewCharge>>[]; made: NewCharge[] }
type Decision = { value: StoredCharges; last: readonly Call[] }

/**
 * Decides and stores a batch of requests in one transaction. Where nothing has to be read or locked for them, that is one flush: decided by
 * the terms that this process knows, and sent with guards that compare what was not read (decision 68). A broken guard, or a key that was
 * used before, rolls everything back, and the batch is decided on the rows.
 */
export async function storeCharges(
  app: App,
  requests: readonly KeyedChargeRequest[],
  turn: BatchTurn,
): Promise<ItemOutcome<CreatedAnswer<NewCharge>>[]> {
  const batch = { requests, merchantModes: distinctMerchantModes(requests), at: app.clock.now() }
  return app.exactWindows.charges.runCounted(requests, batch.at.getTime(), async (counting) => {
    const store = (mayKnow: boolean) =>
      app.db.transactionFor({ kind: 'in', ...turn }, async (tx) => {
        const locks = counting.lock()
        if (!mayKnow || locks.length > 0) return decideOnRows(app, tx, { batch, counting, locks })
        const decided = decideByMemory(app, batch, counting.open([]))
        // A decision that was dropped has counted its requests, so they are counted anew.
        return decided ?? decideOnRows(app, tx, { batch, counting, locks: counting.lock() })
      })
    const { outcomes, made } = await store(true).catch((error) => {
      if (!isGuardBroken(error) && !isUniqueViolation(error)) throw error
      return store(false)
    })
    keepUntilDue(app, made.filter(isKept))
    return outcomes
  })
}

/** A charge whose end was asked for is read from the table: that is where the end is. */
const isKept = ({ mode, endChosen }: NewCharge) => mode === 'test' && !endChosen
const isLive = ({ mode }: NewCharge) => mode === 'live'

/**
 * Decides without reading. Null where something has to be read or locked, or where an outcome is not stored under its key: its request may
 * repeat one that was, which only the key would tell.
 */
function decideByMemory(app: App, batch: ChargeBatch, windows: OpenWindows): Decision | null {
  const { requests, merchantModes, at } = batch
  if (requests.some(hasSplit) || needsCounting(requests.map(headroomInput))) return null
  const known = findKnownTerms(app, merchantsOf(batch))
  if (known === null || mayHaveNextEnds(known.byId.values(), at)) return null
  const bounds = {
    terms: known.byId,
    subaccounts: NO_SUBACCOUNTS_BY_MERCHANT,
    room: UNLIMITED,
    nextEnds: NO_NEXT_ENDS,
    at,
  }
  const { value, last } = decide(app, batch, { bounds, keys: [], windows })
  if (value.outcomes.some(({ ok }) => !ok)) return null
  return { value, last: [...known.guards, guardHeadroom(merchantModes), ...last] }
}

async function decideOnRows(
  app: App,
  tx: Tx,
  { batch, counting, locks }: { batch: ChargeBatch; counting: TransactionWindows; locks: readonly Call[] },
): Promise<Decision> {
  const { requests, merchantModes, at } = batch
  const [terms, keys, totals, ...locked] = await tx.send(
    readTermsToRemember([...merchantsOf(batch)]),
    findKeys(requests),
    balanceTotals(merchantModes),
    ...locks,
  )
  rememberTerms(app, terms)
  // The next batch with a merchant that repeats requests, or whose head is nearly full, would probably be decided twice.
  forgetTerms(
    app,
    [...keys, ...totals.filter(isNearlyFull)].map(({ merchantId }) => merchantId),
  )
  const bounds: ChargeContext = {
    terms: new Map(terms.map((terms) => [terms.id, terms])),
    subaccounts: await lockSubaccounts(tx, requests),
    room: await headroomFor(tx, requests.map(headroomInput), totals),
    nextEnds: await lockNextEnds(tx, terms, at),
    at,
  }
  return decide(app, batch, { bounds, keys, windows: counting.open(locked) })
}

const merchantsOf = ({ merchantModes }: ChargeBatch) => new Set(merchantModes.map(({ merchantId }) => merchantId))

function decide(
  app: App,
  { requests, at }: ChargeBatch,
  { bounds, keys, windows }: { bounds: ChargeContext; keys: readonly KeyRow[]; windows: OpenWindows },
): Decision {
  const created = createUnderKeys(requests, {
    keys,
    windows,
    at,
    decide: (request) => acceptCharge(app, request, bounds),
    bodyOf: (charge) => (charge.mode === 'live' ? firstLiveAnswer(charge) : chargeJson(charge)),
    mustBeSent: isLive,
  })
  const { outcomes, made } = created
  return {
    value: { outcomes, made },
    last: [
      ...created.addKeys(),
      ...addCharges(made),
      ...bounds.nextEnds.writes(),
      ...addShares(made.flatMap((charge) => charge.split ?? [])),
      ...addAttempts(app, buildLiveAttempts(made, created.requests)),
      ...windows.writes(),
    ],
  }
}

/** What the rules are judged by: rows that the transaction has read and locked, or what is compared with them by guards. */
type ChargeContext = {
  terms: ReadonlyMap<number, MerchantTerms>
  subaccounts: ReadonlyMap<number, SubaccountStatuses>
  room: Headroom
  nextEnds: NextEnds
  at: Date
}

const NO_SUBACCOUNTS: SubaccountStatuses = new Map()
const NO_SUBACCOUNTS_BY_MERCHANT: ReadonlyMap<number, SubaccountStatuses> = new Map()

/** Locks the subaccounts that the splits name. Sends nothing when no charge of the batch has a split. */
async function lockSubaccounts(tx: Tx, requests: readonly KeyedChargeRequest[]): Promise<ChargeContext['subaccounts']> {
  if (!requests.some(hasSplit)) return NO_SUBACCOUNTS_BY_MERCHANT
  const splits = requests.map(({ caller: { merchantId, tag }, input: { split = [] } }) => ({
    merchantId,
    tag,
    split,
  }))
  return lockNamedSubaccounts(tx, splits)
}

const hasSplit = ({ input }: KeyedChargeRequest) => input.split !== undefined

/** Judges a request by the rules and makes its charge. Throws Refusal. */
function acceptCharge(app: App, request: KeyedChargeRequest, bounds: ChargeContext): NewCharge {
  const { caller, input, readiness } = request
  const terms = bounds.terms.get(caller.merchantId)
  assert(terms, 'a merchant with a key has a row')
  const pricing = judgeCharge(input, {
    terms,
    mode: caller.mode,
    config: app.config,
    rails: app.rails,
    subaccounts: bounds.subaccounts.get(caller.merchantId) ?? NO_SUBACCOUNTS,
    readiness,
  })
  if (!bounds.room.take(headroomInput(request))) throw balanceFull()
  const charge = newCharge(app, request, { pricing, at: bounds.at })
  if (charge.mode === 'test') applyNextEnd(charge, bounds.nextEnds)
  return charge
}

const headroomInput = ({ merchantId, mode, input: { amount } }: KeyedChargeRequest) => ({
  merchantId,
  mode,
  amount,
})

const buildLiveAttempts = (charges: readonly NewCharge[], requests: readonly KeyedChargeRequest[]): NewAttempt[] =>
  charges.flatMap((charge, index) =>
    charge.mode === 'live' ? newChargeAttempt(charge, requests[index]?.installation ?? null) : [],
  )
