import { type CreatedAnswer, type CreateRequest, createUnderKeys } from '../../api/idempotency/create-under-keys.ts'
import { findKeys, type KeyUse } from '../../api/idempotency/keys.ts'
import { distinctMerchantModes } from '../../ledger/distinct-merchant-modes.ts'
import { findTerms, type MerchantTerms } from '../../merchants/account/merchant.ts'
import { assert } from '../../platform/assert.ts'
import type { BatchTurn, ItemOutcome } from '../../platform/batches/batch-run.ts'
import type { Tx } from '../../platform/db/database.ts'
import type { Refusal } from '../../platform/refusal.ts'
import type { App } from '../../program/app.ts'
import { addAttempts, type NewAttempt } from '../../rails/attempts.ts'
import { lockNamedSubaccounts } from '../subaccounts/named-subaccounts.ts'
import { addShares } from '../subaccounts/shares.ts'
import type { SubaccountStatuses } from '../subaccounts/split.ts'
import { chargeJson } from './charge-json.ts'
import type { ChargeCreate } from './charge-request.ts'
import { judgeCharge } from './charge-rules.ts'
import { balanceFull, balanceTotals, type Headroom, headroomFor } from './headroom.ts'
import { newCharge, newChargeAttempt } from './new-charge.ts'
import { firstLiveAnswer } from './submit-live-charge.ts'
import { keepUntilDue } from './test-charges/due-test-charges.ts'
import { addCharges, type NewCharge } from './write-charges.ts'

/** One POST /v1/charges with a valid body. */
export type ChargeRequest = CreateRequest<ChargeCreate>

/** The request with its key and the readiness of its rail. `installation` is the one that will carry a live charge. */
export type KeyedChargeRequest = ChargeRequest & KeyUse & { installation: string | null; readiness: Refusal | null }

/** Decides and stores a batch of requests in one transaction. */
export async function storeCharges(
  app: App,
  batchRequests: readonly KeyedChargeRequest[],
  turn: BatchTurn,
): Promise<ItemOutcome<CreatedAnswer<NewCharge>>[]> {
  const at = app.clock.now()
  const merchantModes = distinctMerchantModes(batchRequests)
  return app.exactWindows.charges.runCounted(batchRequests, at.getTime(), async (counting) => {
    const { outcomes, made } = await app.db.transactionFor({ kind: 'in', ...turn }, async (tx) => {
      const [terms, keys, totals, ...locked] = await tx.send(
        findTerms([...new Set(merchantModes.map(({ merchantId }) => merchantId))]),
        findKeys(batchRequests),
        balanceTotals(merchantModes),
        ...counting.lock(),
      )
      const windows = counting.open(locked)
      const bounds: ChargeContext = {
        terms: new Map(terms.map((terms) => [terms.id, terms])),
        subaccounts: await lockSubaccounts(tx, batchRequests),
        room: await headroomFor(tx, batchRequests.map(headroomInput), totals),
        at,
      }
      const { outcomes, made, requests, addKeys } = createUnderKeys(batchRequests, {
        keys,
        windows,
        at,
        decide: (request) => acceptCharge(app, request, bounds),
        bodyOf: (charge) => (charge.mode === 'live' ? firstLiveAnswer(charge) : chargeJson(charge)),
        mustBeSent: isLive,
      })
      return {
        value: { outcomes, made },
        last: [
          ...addKeys(),
          ...addCharges(made),
          ...addShares(made.flatMap((charge) => charge.split ?? [])),
          ...addAttempts(app, buildLiveAttempts(made, requests)),
          ...windows.writes(),
        ],
      }
    })
    keepUntilDue(app, made.filter(isTest))
    return outcomes
  })
}

const isTest = ({ mode }: NewCharge) => mode === 'test'
const isLive = ({ mode }: NewCharge) => mode === 'live'

/** The rows that the transaction has read and locked for the rules. */
type ChargeContext = {
  terms: ReadonlyMap<number, MerchantTerms>
  subaccounts: ReadonlyMap<number, SubaccountStatuses>
  room: Headroom
  at: Date
}

const NO_SUBACCOUNTS: SubaccountStatuses = new Map()
const NO_SUBACCOUNTS_BY_MERCHANT: ReadonlyMap<number, SubaccountStatuses> = new Map()

/** Locks the subaccounts that the splits name. Sends nothing when no charge of the batch has a split. */
async function lockSubaccounts(tx: Tx, requests: readonly KeyedChargeRequest[]): Promise<ChargeContext['subaccounts']> {
  if (requests.every(({ input }) => input.split === undefined)) return NO_SUBACCOUNTS_BY_MERCHANT
  const splits = requests.map(({ caller: { merchantId, tag }, input: { split = [] } }) => ({
    merchantId,
    tag,
    split,
  }))
  return lockNamedSubaccounts(tx, splits)
}

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
  return newCharge(app, request, { pricing, at: bounds.at })
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
