import { callForRows, toColumns } from '../../platform/db/columns.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { bigint, copyInto, integer, mode, text } from '../../platform/db/wire/copy.ts'
import type { MerchantMode, Mode } from '../../platform/mode.ts'
import type { SubaccountStatus } from './subaccount.ts'

/** One subaccount's share of one charge, in the order of the request. Whole UGX. */
export type ChargeShare = {
  merchantId: number
  chargeId: string
  index: number
  mode: Mode
  subaccountId: string
  amount: number
  /** Not paid out to its subaccount. */
  reversed: boolean
  /** Written once, when the charge succeeds. */
  holdUntil: Date | null
  settledAt: Date | null
  settlementId: string | null
}
type ShareChargeKey = { merchantId: number; id: string }

const SHARE_COLUMNS = `s.merchant_id as "merchantId", s.charge_id as "chargeId", s.share_index as index, s.mode,
  s.subaccount_id as "subaccountId", s.amount, s.reversed, s.hold_until as "holdUntil", s.settled_at as "settledAt",
  s.settlement_id as "settlementId"`

const COPY_SHARES = copyInto<ChargeShare>('add shares', 'charge_shares', {
  merchant_id: bigint((share) => share.merchantId),
  charge_id: text((share) => share.chargeId),
  share_index: integer((share) => share.index),
  mode: mode((share) => share.mode),
  subaccount_id: text((share) => share.subaccountId),
  amount: bigint((share) => share.amount),
})
const SHARES_OF_CHARGES = statement<ChargeShare>(
  'shares of charges',
  `select ${SHARE_COLUMNS} from unnest($1::bigint[], $2::text[]) as n (merchant_id, id)
   join charge_shares s on s.merchant_id = n.merchant_id and s.charge_id = n.id
   order by s.merchant_id, s.charge_id, s.share_index`,
)
const LOCK_PAYEES = statement<ChargeShare & { status: SubaccountStatus }>(
  'lock payees of charges',
  `select ${SHARE_COLUMNS}, a.status from unnest($1::bigint[], $2::text[]) as n (merchant_id, id)
   join charge_shares s on s.merchant_id = n.merchant_id and s.charge_id = n.id
   join subaccounts a on a.merchant_id = s.merchant_id and a.id = s.subaccount_id
   order by s.merchant_id, s.charge_id, s.share_index for share of a`,
)
const WRITE_SHARES = statement(
  'write shares',
  `update charge_shares s set reversed = n.reversed, hold_until = n.hold_until, settled_at = n.settled_at,
     settlement_id = n.settlement_id
   from unnest($1::bigint[], $2::text[], $3::bigint[], $4::boolean[], $5::timestamptz[], $6::timestamptz[], $7::text[])
     as n (merchant_id, charge_id, share_index, reversed, hold_until, settled_at, settlement_id)
   where s.merchant_id = n.merchant_id and s.charge_id = n.charge_id and s.share_index = n.share_index`,
)
const LOCK_DUE_SHARES = statement<ChargeShare>(
  'lock shares to settle',
  `select ${SHARE_COLUMNS} from charge_shares s
   where s.merchant_id = $1 and s.mode = $2 and s.hold_until is not null and s.settled_at is null and s.hold_until <= $3
   order by s.hold_until limit $4 for no key update skip locked`,
)

/** Stores the shares of a new charge. */
export const addShares = (shares: readonly ChargeShare[]): Call[] => COPY_SHARES.rows(shares)

/** Reads the shares of these charges, those of one charge in the order of its request. */
export const sharesOfCharges = (charges: readonly ShareChargeKey[]) => call(SHARES_OF_CHARGES, ...keyColumns(charges))

/** Reads the shares of charges that are being paid, with the status of each subaccount, and locks the status against a change. */
export const lockPayees = (charges: readonly ShareChargeKey[]) => call(LOCK_PAYEES, ...keyColumns(charges))

/** Groups shares by their charge's id, in the given order. */
export function groupByCharge<AnyShare extends ChargeShare>(shares: readonly AnyShare[]): Map<string, AnyShare[]> {
  const groups = new Map<string, AnyShare[]>()
  for (const share of shares) {
    const group = groups.get(share.chargeId)
    if (group) group.push(share)
    else groups.set(share.chargeId, [share])
  }
  return groups
}

/** Locks up to `limit` shares of one merchant and mode whose hold is over, except those that another worker is releasing. */
export const lockDueShares = ({ merchantId, mode }: MerchantMode, dueAt: Date, limit: number) =>
  call(LOCK_DUE_SHARES, merchantId, mode, dueAt.toISOString(), limit)

/** Stores changed shares. */
export const writeShares = (shares: readonly ChargeShare[]): Call[] =>
  callForRows(WRITE_SHARES, shares, (each) => [
    ...each.numbers('merchantId'),
    ...each.texts('chargeId'),
    ...each.numbers('index'),
    ...each.values('reversed'),
    ...each.times('holdUntil', 'settledAt'),
    ...each.texts('settlementId'),
  ])

const keyColumns = (charges: readonly ShareChargeKey[]) => {
  const each = toColumns(charges)
  return [...each.numbers('merchantId'), ...each.texts('id')]
}
