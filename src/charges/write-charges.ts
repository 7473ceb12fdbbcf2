import { callForRows, words } from '../platform/db/columns.ts'
import type { Call } from '../platform/db/database.ts'
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
  const split = charges.some((one) => one.split !== undefined)
  return callForRows(split ? ADD_SPLIT_CHARGES : ADD_CHARGES, charges, (each) => [
    ...each.numbers('merchantId'),
    ...each.words('id', 'mode', 'status'),
    ...each.numbers('amount', 'fee'),
    ...each.words('channel', 'phone'),
    words(charges.map((one) => (one.phone === null ? null : lastNine(one.phone)))),
    ...each.values('email', 'reference'),
    ...each.words('railReference'),
    ...each.values('published'),
    ...each.times('createdAt', 'followAt'),
    ...(split ? each.numbers('shares') : []),
  ])
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
export const correctSplits = (corrections: readonly SplitCorrection[]): Call[] =>
  callForRows(CORRECT_SPLITS, corrections, (each) => [
    ...each.numbers('merchantId'),
    ...each.words('id'),
    ...each.numbers('shares'),
    ...each.words('settlementId'),
  ])
