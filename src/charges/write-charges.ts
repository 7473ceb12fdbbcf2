import { numbers, times, words } from '../platform/db/columns.ts'
import { type Call, call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { lastNine } from '../platform/phone.ts'
import type { Charge } from './charge.ts'

/** A charge about to be stored. Test charges are published at once, live ones when the rail has answered. */
export type NewCharge = Charge & { published: boolean; followAt: Date }

const COLUMNS = `merchant_id, id, mode, status, amount, fee, channel, phone, phone9, email, reference, rail_reference,
  published, created_at, follow_at`
const VALUES = `$1::bigint[], $2::text[], $3::mode[], $4::text[], $5::bigint[], $6::bigint[], $7::text[], $8::text[],
  $9::text[], $10::text[], $11::text[], $12::text[], $13::boolean[], $14::timestamptz[], $15::timestamptz[]`
const ADD_CHARGES = statement(
  'add charges',
  `insert into charges (${COLUMNS}) select * from unnest(${VALUES})`,
)
// For batches with a split charge, so that the others need not write an empty column.
const ADD_SPLIT_CHARGES = statement(
  'add split charges',
  `insert into charges (${COLUMNS}, shares) select * from unnest(${VALUES}, $16::bigint[])`,
)

export function addCharges(charges: readonly NewCharge[]): Call[] {
  if (charges.length === 0) return []
  const split = charges.some((one) => one.split !== undefined)
  return [
    call(
      split ? ADD_SPLIT_CHARGES : ADD_CHARGES,
      numbers(charges.map((one) => one.merchantId)),
      words(charges.map((one) => one.id)),
      words(charges.map((one) => one.mode)),
      words(charges.map((one) => one.status)),
      numbers(charges.map((one) => one.amount)),
      numbers(charges.map((one) => one.fee)),
      words(charges.map((one) => one.channel)),
      words(charges.map((one) => one.phone)),
      words(charges.map((one) => (one.phone === null ? null : lastNine(one.phone)))),
      charges.map((one) => one.email),
      charges.map((one) => one.reference),
      words(charges.map((one) => one.railReference)),
      charges.map((one) => one.published),
      times(charges.map((one) => one.createdAt)),
      times(charges.map((one) => one.followAt)),
      ...(split ? [numbers(charges.map((one) => one.shares))] : []),
    ),
  ]
}

/** What the end of a split charge has made of it. */
export type SplitCorrection = {
  merchantId: number
  id: string
  shares: number
  settlementId: string | null
}

const CORRECT_SPLITS = statement(
  'correct split charges',
  `update charges c set shares = n.shares, settlement_id = n.settlement_id
   from unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[]) as n (merchant_id, id, shares, settlement_id)
   where c.merchant_id = n.merchant_id and c.id = n.id`,
)

/** In the transaction that ended them: a share went back to the merchant, or nothing is left to settle. */
export function correctSplits(corrections: readonly SplitCorrection[]): Call[] {
  if (corrections.length === 0) return []
  return [
    call(
      CORRECT_SPLITS,
      numbers(corrections.map((one) => one.merchantId)),
      words(corrections.map((one) => one.id)),
      numbers(corrections.map((one) => one.shares)),
      words(corrections.map((one) => one.settlementId)),
    ),
  ]
}
