import type { GrantedRates } from '../../api/rate-limits/rates.ts'
import { assert } from '../../platform/assert.ts'
import { numberColumn } from '../../platform/db/columns.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { MerchantMode, Mode } from '../../platform/mode.ts'
import { domainRefusal } from '../../platform/refusal.ts'
import type { App } from '../../program/app.ts'
import { ACCOUNT_STATE, type AccountState } from './account-state.ts'

export type KycStatus = 'pending' | 'verified' | 'rejected'

/** A row of `merchants` in its cell, without secrets. Limits are whole UGX, the test clock's offset is in ms. */
export type Merchant = {
  id: number
  publicId: string
  tag: string
  handle: string
  name: string
  email: string
  publicKeyTest: string
  publicKeyLive: string
  kycStatus: KycStatus
  active: boolean
  vendingEnabled: boolean
  instantSettlement: boolean
  chargeLimit: number | null
  payoutLimit: number | null
  rateLimits: GrantedRates
  webhookUrl: string | null
  autoRefundOnJam: 'off' | 'test' | 'live' | 'both'
  testHold: 'none' | 'realistic'
  testClockOffsetMs: number
  failNextPayouts: number
  failNextReason: string | null
  /** When and why it was switched off, as its people read it, and when its limits were last set. */
  inactiveSince: Date | null
  inactiveFor: string | null
  limitsSetAt: Date | null
  /** When the closing of its account began, who asked for it, and when it was closed (account-state.ts). */
  account: AccountState
  closingAt: Date | null
  closingBy: 'owner' | 'operator' | null
  closedAt: Date | null
  /** The public id of the merchant that made it for its tests; null: a merchant like any other. */
  parent: string | null
  createdAt: Date
}

const COLUMNS = `id, public_id as "publicId", tag, handle, name, email, public_key_test as "publicKeyTest",
  public_key_live as "publicKeyLive", kyc_status as "kycStatus", active, vending_enabled as "vendingEnabled",
  instant_settlement as "instantSettlement", charge_limit as "chargeLimit", payout_limit as "payoutLimit",
  rate_limits as "rateLimits", webhook_url as "webhookUrl", auto_refund_on_jam as "autoRefundOnJam", test_hold as "testHold",
  test_clock_offset_ms as "testClockOffsetMs", fail_next_payouts as "failNextPayouts",
  fail_next_reason as "failNextReason", inactive_since as "inactiveSince", inactive_for as "inactiveFor",
  limits_set_at as "limitsSetAt", ${ACCOUNT_STATE} as account, closing_at as "closingAt", closing_by as "closingBy",
  closed_at as "closedAt", (select p.public_id from merchants p where p.id = merchants.parent_id) as parent,
  created_at as "createdAt"`

const MERCHANTS_BY_ID = statement<Merchant>(
  'merchants by id',
  `select ${COLUMNS} from merchants where id = any($1::bigint[])`,
)
const MERCHANT_NAMED = statement<Merchant>(
  'merchant named',
  `select ${COLUMNS} from merchants where handle = $1 or public_id = $1`,
)
const ALL_MERCHANTS = statement<Merchant>(
  'all merchants',
  `select ${COLUMNS} from merchants where parent_id is null order by id`,
)

/** The fields that the rules about money check. Few columns, because every batch reads them. */
export type MerchantTerms = Pick<
  Merchant,
  | 'id'
  | 'tag'
  | 'active'
  | 'account'
  | 'kycStatus'
  | 'instantSettlement'
  | 'chargeLimit'
  | 'payoutLimit'
  | 'vendingEnabled'
  | 'testHold'
  | 'testClockOffsetMs'
  | 'failNextPayouts'
  | 'webhookUrl'
> & {
  /** Test mode: until when the next ends that its tests have asked for count; null: none were ever asked for. */
  nextEndsUntil: Date | null
}

/** The SQL that reads the terms of the merchants $1. */
export const TERMS = `select id, tag, active, kyc_status as "kycStatus", instant_settlement as "instantSettlement",
     charge_limit as "chargeLimit", payout_limit as "payoutLimit", vending_enabled as "vendingEnabled", test_hold as "testHold",
     test_clock_offset_ms as "testClockOffsetMs", fail_next_payouts as "failNextPayouts",
     ${ACCOUNT_STATE} as account, webhook_url as "webhookUrl", next_ends_until as "nextEndsUntil"
   from merchants where id = any($1::bigint[])`
const TERMS_BY_ID = statement<MerchantTerms>('merchant terms by id', TERMS)
const LOCK_TERMS = statement<MerchantTerms>('lock merchant terms', `${TERMS} order by id for share`)

export const findMerchantsById = (ids: readonly number[]) => call(MERCHANTS_BY_ID, numberColumn(ids))
export const findMerchantNamed = (name: string) => call(MERCHANT_NAMED, name)
/** Finds all merchants but those that were made for tests. */
export const findAllMerchants = () => call(ALL_MERCHANTS)

/** Finds the terms of several merchants. Send it in the transaction that decides by them. */
export const findTerms = (ids: readonly number[]): Call<MerchantTerms> => call(TERMS_BY_ID, numberColumn(ids))

/** Finds the terms of several merchants and locks them, so that they cannot change before the decision by them is committed. */
export const lockTerms = (ids: readonly number[]): Call<MerchantTerms> => call(LOCK_TERMS, numberColumn(ids))

const LOCK_SWITCHES = statement<FailingSwitch>(
  'lock sandbox switches',
  `select id as "merchantId", fail_next_payouts as "left", fail_next_reason as reason from merchants
   where id = any($1::bigint[]) order by id for no key update`,
)
const SPEND_SWITCH = statement(
  'spend sandbox switch',
  'update merchants set fail_next_payouts = $2, fail_next_reason = case when $2 = 0 then null else fail_next_reason end where id = $1',
)

/** The sandbox switch: how many of the next test payouts fail, and why (contract.md G64). */
export type FailingSwitch = { merchantId: number; left: number; reason: string | null }

/** Locks the sandbox switches of these merchants until the commit that spends from them. */
export const lockSwitches = (ids: readonly number[]): Call<FailingSwitch> => call(LOCK_SWITCHES, ids)
export const spendSwitch = ({ merchantId, left }: FailingSwitch): Call => call(SPEND_SWITCH, merchantId, left)

const EXTEND_NEXT_ENDS = statement(
  'extend next ends of merchant',
  'update merchants set next_ends_until = greatest(next_ends_until, $2) where id = $1',
)
/** Lets the payments of this merchant look for the ends that its tests have asked for, until then at least; locks its row. */
export const extendNextEnds = (merchantId: number, until: Date): Call =>
  call(EXTEND_NEXT_ENDS, merchantId, until.toISOString())

/**
 * Finds the terms for payouts. For live money they are locked until the commit, so that nothing is reserved after a verification or an
 * account was withdrawn (PO8). Test money reads them without a lock.
 */
export const findTermsForPayout = (accounts: readonly MerchantMode[]): Call<MerchantTerms> =>
  call(accounts.some(({ mode }) => mode === 'live') ? LOCK_TERMS : TERMS_BY_ID, [
    ...new Set(accounts.map(({ merchantId }) => merchantId)),
  ])

/** 400 for a deactivated merchant, which reads everything and posts nothing (contract.md 3 c), or one whose account closes. */
export const merchantInactive = ({ account = 'open' }: Partial<Pick<MerchantTerms, 'account'>>) =>
  account === 'open'
    ? domainRefusal('merchant_inactive', 'merchant is not active')
    : domainRefusal('account_closed', 'this account is closed: it takes no new payments')

/**
 * Returns the terms for money that goes back or out while an account closes: refunds, pay-outs of subaccounts and withdrawals. A merchant
 * that an operator switched off stays inactive.
 */
export const termsWhileClosing = (terms: MerchantTerms): MerchantTerms =>
  terms.account === 'closing' ? { ...terms, active: true } : terms

/** Refuses (merchantInactive) an act of an inactive merchant. It reads outside a transaction, so only for acts that move no money. */
export async function requireActive(app: Pick<App, 'db'>, merchantId: number): Promise<void> {
  const find = findTerms([merchantId])
  const [terms] = await app.db.query(find.statement, find.values)
  assert(terms, 'a merchant with a key has a row')
  if (!terms.active) throw merchantInactive(terms)
}

/** Returns how long a succeeded charge is held, in ms; 0 means that it settles in the commit that succeeds it (G62, 3 a). */
export function holdMs(
  terms: MerchantTerms,
  mode: Mode,
  settings: { liveHoldHours: number; testHoldSeconds: number },
): number {
  if (terms.instantSettlement) return 0
  if (mode === 'live') return settings.liveHoldHours * 3_600_000
  return terms.testHold === 'realistic' ? 24 * 3_600_000 : settings.testHoldSeconds * 1000
}

/** Returns the offset, in ms, of the clock that decides what is due for this merchant and mode (contract.md 3 a). */
export const clockOffsetMs = (terms: MerchantTerms, mode: Mode) => (mode === 'test' ? terms.testClockOffsetMs : 0)
