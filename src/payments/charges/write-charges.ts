import { callForRows } from '../../platform/db/columns.ts'
import type { Call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { boolean, bytea, copyInto, text, time } from '../../platform/db/wire/copy.ts'
import { lastNine } from '../../platform/text/phone.ts'
import { shortDigest, shortDigestSql } from '../../platform/text/short-digest.ts'
import { isTooFarAheadSql } from '../../rails/following/questions-too-far-ahead.ts'
import { CHARGE_WRITERS, type Charge } from './charge.ts'

/** A charge about to be stored. Test charges are published at once, live ones when the rail has answered. */
export type NewCharge = Charge & {
  published: boolean
  followAt: Date
  /** Its end was asked for by the tests of its merchant. */
  endChosen: boolean
}

/** The digest stored beside the phone of a charge, bound to its id: if the phone is changed in the table, a refund to it is noticed. */
export const phoneDigest = ({ id, phone }: Pick<Charge, 'id' | 'phone'>): Buffer | null =>
  phone === null ? null : shortDigest(`${id} ${phone}`)
/** That digest as SQL over a row of `charges`. */
export const phoneDigestSql = (row: string): string => shortDigestSql(`${row}.id || ' ' || ${row}.phone`)

const CHARGES = copyInto<NewCharge>('add charges', 'charges', {
  ...CHARGE_WRITERS,
  phone9: text((charge) => (charge.phone === null ? null : lastNine(charge.phone))),
  published: boolean((charge) => charge.published),
  follow_at: time((charge) => charge.followAt),
  phone_digest: bytea(phoneDigest),
})

export const addCharges = (charges: readonly NewCharge[]): Call[] => CHARGES.rows(charges)

/** The shares and settlement of a split charge, corrected after its outcome was decided. */
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

/** Corrects split charges in the transaction that finished them: a share went back to the merchant, or nothing is left to settle. */
export const correctSplits = (corrections: readonly SplitCorrection[]): Call[] =>
  callForRows(CORRECT_SPLITS, corrections, (each) => [
    ...each.numbers('merchantId'),
    ...each.texts('id'),
    ...each.numbers('shares'),
    ...each.texts('settlementId'),
  ])

/** Makes charges due now whose next question was put too far ahead. Index: charges_followed. */
export const SET_BACK_CHARGES = statement<{ id: string }>(
  'set back questions about charges',
  `update charges set follow_at = $1
   from (select p.merchant_id, p.id from charges p where p.mode = any('{test,live}'::mode[]) and ${isTooFarAheadSql('p')} limit $4 for no key update skip locked) far
   where charges.merchant_id = far.merchant_id and charges.id = far.id returning charges.id`,
)
