import type { AuditedAction } from '../../api/access/actions.ts'
import type { Actor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRows } from '../../api/access/audit-row.ts'
import type { GrantedRates, RateName } from '../../api/rate-limits/rates.ts'
import { type Call, call, type Tx } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { groupBy } from '../../platform/group-by.ts'
import { domainRefusal, notFound } from '../../platform/refusal.ts'
import { echo } from '../../platform/text/text.ts'
import type { App, Gateway } from '../../program/app.ts'
import { directoryChanged } from './authenticate.ts'
import { findMerchantNamed, type Merchant } from './merchant.ts'
import { refusedAddress, requireCallable } from './refused-address.ts'

/** The fields of a merchant to change; absent ones stay, null empties. Limits are whole UGX, rates a minute. */
export type MerchantChange = Partial<
  Pick<
    Merchant,
    | 'kycStatus'
    | 'active'
    | 'vendingEnabled'
    | 'autoRefundOnJam'
    | 'instantSettlement'
    | 'webhookUrl'
    | 'chargeLimit'
    | 'payoutLimit'
    | 'testHold'
    | 'failNextPayouts'
    | 'failNextReason'
    | 'inactiveFor'
  >
> & { rateLimits?: Readonly<Partial<Record<RateName, number | null>>> }

// The action that a caller must be allowed to change each field.
const ACTION_BY_FIELD: Record<keyof MerchantChange, AuditedAction> = {
  kycStatus: 'merchant.verify',
  active: 'merchant.set',
  vendingEnabled: 'merchant.vending',
  autoRefundOnJam: 'merchant.jams',
  inactiveFor: 'merchant.set',
  instantSettlement: 'merchant.terms',
  webhookUrl: 'webhook.address',
  chargeLimit: 'merchant.terms',
  payoutLimit: 'merchant.terms',
  rateLimits: 'merchant.terms',
  testHold: 'sandbox.set',
  failNextPayouts: 'sandbox.set',
  failNextReason: 'sandbox.set',
}

const FIND_CELL = statement<{ cell: string }>(
  'cell of merchant',
  'select cell from merchants where handle = $1 or public_id = $1',
)
const FIND_BY_TAG = statement<{ publicId: string }>(
  'name of tag',
  'select public_id as "publicId" from merchants where tag = $1',
)
const SET = statement(
  'set merchant',
  `update merchants set kyc_status = $2, active = $3, vending_enabled = $4, auto_refund_on_jam = $5, instant_settlement = $6,
     webhook_url = $7, charge_limit = $8, payout_limit = $9, test_hold = $10, fail_next_payouts = $11, fail_next_reason = $12,
     webhook_changed_at = case when webhook_url is distinct from $7 then $13 else webhook_changed_at end,
     inactive_since = case when $3 then null when active then $13 else inactive_since end,
     inactive_for = case when not $3 then $14 end,
     limits_set_at = case when charge_limit is distinct from $8 or payout_limit is distinct from $9 or rate_limits <> $15
       then $13 else limits_set_at end,
     rate_limits = $15
   where id = $1`,
)
const LOCK = statement<{ id: number }>('lock merchant', 'select id from merchants where id = $1 for no key update')
const LOCK_FREE = statement<{ id: number }>(
  'lock free merchant',
  'select id from merchants where id = $1 for no key update skip locked',
)
const LOCK_ALL = statement('lock all merchants', 'select lock_merchants()')
const CLEAR_ADDRESS_MARK = statement(
  'webhook address settled',
  'update merchants set webhook_changed_at = null where id = $1 and webhook_changed_at <= $2',
)

const SET_PENDING_AFTER_REJECTION = statement(
  'review merchant again',
  `update merchants set kyc_status = 'pending' where id = $1 and kyc_status = 'rejected'`,
)

/** Makes a rejected merchant pending again, because it has submitted a new application. Others do not change. */
export const setPendingAfterRejection = (merchantId: number): Call => call(SET_PENDING_AFTER_REJECTION, merchantId)

/**
 * Removes the mark of the address change made at this time, after every delivery has followed it. A later change keeps its mark.
 */
export async function markAddressSettled(app: App, merchantId: number, changedAt: Date): Promise<void> {
  await app.db.query(CLEAR_ADDRESS_MARK, [merchantId, new Date(changedAt.getTime() + 1).toISOString()])
}

/** Returns a merchant by id or handle, with the cell that serves it. Refuses an unknown one. */
export async function getMerchantNamed(gateway: Gateway, name: string): Promise<{ app: App; merchant: Merchant }> {
  const [holder] = await gateway.directory.query(FIND_CELL, [name])
  const app = holder ? gateway.appOf(holder) : null
  const find = findMerchantNamed(name)
  const [merchant] = app ? await app.db.query(find.statement, find.values) : []
  if (!app || !merchant) throw domainRefusal('not_found', `there is no merchant called ${echo(name)}`)
  return { app, merchant }
}

/** Returns the merchant of the id in the address of a page. Throws 404, also for a handle. */
export async function getMerchant(
  gateway: Gateway,
  publicId: string | undefined,
): Promise<{ app: App; merchant: Merchant }> {
  const [holder] = publicId?.startsWith('mer_') ? await gateway.directory.query(FIND_CELL, [publicId]) : []
  if (!holder || publicId === undefined) throw notFound('merchant')
  return getMerchantNamed(gateway, publicId)
}

/** Returns the merchant of the tag in a public id. The 404 for an unknown tag names the noun. */
export async function getMerchantOfTag(
  gateway: Gateway,
  { tag, noun }: { tag: string; noun: string },
): Promise<{ app: App; merchant: Merchant }> {
  const [row] = await gateway.directory.query(FIND_BY_TAG, [tag])
  if (!row) throw notFound(noun)
  return getMerchantNamed(gateway, row.publicId)
}

/** Returns further statements for the commit that changes a merchant. Its row is locked; `before` is its old state. */
type ExtraWrites = (tx: Tx, before: Merchant) => Promise<readonly Call[]>

/** Changes facts of a merchant under its row lock, so that two changes at once both stay (contract.md 9.3). */
export async function setMerchant(
  app: App,
  actor: Actor,
  { merchant, change, extraWrites }: { merchant: Merchant; change: MerchantChange; extraWrites?: ExtraWrites },
): Promise<Merchant> {
  const fields = Object.keys(change) as (keyof MerchantChange)[] // Typed by its keys.
  for (const field of fields) allow(actor, ACTION_BY_FIELD[field], merchant.id)
  if (change.webhookUrl) await checkWebhookUrl(app, change.webhookUrl)
  const find = findMerchantNamed(merchant.publicId)
  const changed = await app.db.transaction(async (tx) => {
    await lockMerchant(tx, merchant.id)
    const [[now]] = await tx.send(find)
    const before = now as Merchant // It was just locked.
    if (before.account === 'closed') throw closedMerchant()
    if (before.account === 'closing' && change.active === true) throw closingMerchant()
    const rateLimits = applyRateChanges(before.rateLimits, change.rateLimits)
    const next: Merchant = { ...before, ...change, rateLimits }
    const at = app.clock.now()
    const others = extraWrites === undefined ? [] : await extraWrites(tx, before)
    const rows = auditRows(makeActs(fields, { actor, at, before, next }))
    return {
      value: next,
      last: [
        call(SET, ...setValuesOf(next), at.toISOString(), next.inactiveFor, JSON.stringify(rateLimits)),
        ...others,
        ...rows,
      ],
    }
  })
  if (change.webhookUrl !== undefined) app.nudge('tend-addresses')
  await app.directory.query(directoryChanged().statement)
  app.keyRing.forget()
  if (change.rateLimits !== undefined) await app.grantedRates.read()
  return changed
}

/** Applies changes to the granted rates; null takes one back. Each rate changes by itself, so that two changes at once both stay. */
const applyRateChanges = (before: GrantedRates, change: MerchantChange['rateLimits'] = {}): GrantedRates =>
  Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, limit]) => limit !== null))

export const closedMerchant = () => domainRefusal('merchant_closed', 'this merchant was closed and cannot be changed')

const closingMerchant = () =>
  domainRefusal('merchant_closing', 'this account is being closed: keep it open instead of activating it')

type AppliedChange = { actor: Actor; at: Date; before: Merchant; next: Merchant }

/** Makes one audit act for each action that the change takes. */
function makeActs(fields: readonly (keyof MerchantChange)[], { actor, at, before, next }: AppliedChange) {
  const byAction = groupBy(fields, (field) => ACTION_BY_FIELD[field])
  return [...byAction].map(([action, own]) => {
    const of = (merchant: Merchant) => Object.fromEntries(own.map((field) => [field, merchant[field]]))
    const act = { actor, action, at, merchantId: next.id, subject: next.publicId }
    return { ...act, before: of(before), after: of(next) }
  })
}

/** Locks a merchant's row. Live payouts may hold shared locks on it without a gap, so a busy row is waited for by the table's lock, which is
 * granted in order. */
export async function lockMerchant(tx: Tx, merchantId: number): Promise<void> {
  const [free] = await tx.send(call(LOCK_FREE, merchantId))
  if (free.length === 0) await tx.send(call(LOCK_ALL), call(LOCK, merchantId))
}

function setValuesOf(merchant: Merchant): unknown[] {
  return [
    merchant.id,
    merchant.kycStatus,
    merchant.active,
    merchant.vendingEnabled,
    merchant.autoRefundOnJam,
    merchant.instantSettlement,
    merchant.webhookUrl,
    merchant.chargeLimit,
    merchant.payoutLimit,
    merchant.testHold,
    merchant.failNextPayouts,
    merchant.failNextReason,
  ]
}

const checkWebhookUrl = (app: App, url: string): Promise<void> =>
  requireCallable(app, url, refusedAddress(app, url, 'WEBHOOK_ALLOW_PRIVATE'))
