import { callForRows, toColumns, unnestColumns } from '../../platform/db/columns.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { guardedSql } from '../../platform/db/guarded.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import { ATTEMPT_FACTS, merchantTagSql } from '../../rails/attempt-facts.ts'
import { callAtTime } from '../../rails/call-at-time.ts'
import { buildLiveClaims, type LiveClaims } from '../../rails/following/follow-live.ts'
import { firstQuestionAt, type Publication } from '../../rails/following/ladders.ts'
import { dueRowsSql, type QuestionLevel } from '../../rails/following/question-levels.ts'
import type { NewlyAccepted } from '../../rails/mover.ts'
import type { ChargeFailure } from '../../rails/rail.ts'
import type { Charge } from './charge.ts'
import type { FollowedCharge } from './charge-mover.ts'

// Only this file writes the status of a charge. Each function is a move of CHARGE_MOVES, or takes back a charge that was never shown.

/** The outcome of an open charge as the compare-and-set writes it. Everything about the hold is fixed here, once (CH9). */
export type ChargeOutcomeRow = {
  merchantId: number
  id: string
  status: 'succeeded' | 'failed'
  failureReason: ChargeFailure | null
  railTransactionId: string | null
  holdUntil: Date | null
  settledAt: Date | null
  settlementId: string | null
}

const PUBLISH = statement(
  'publish live charges',
  `update charges c set status = 'authorized', published = true, follow_at = n.follow_at
   from ${unnestColumns('bigint', 'text', 'timestamptz')} as n (merchant_id, id, follow_at)
   where c.merchant_id = n.merchant_id and c.id = n.id and c.status in ('pending', 'authorized') and c.voided_at is null`,
)
const PUBLISH_NEW = statement(
  'publish new live charges',
  guardedSql(
    (rows) => `update charges c set status = 'authorized', published = true, follow_at = n.follow_at
     from ${rows} as n (merchant_id, id, follow_at)
     where c.merchant_id = n.merchant_id and c.id = n.id and c.status = 'pending' and not c.published and c.voided_at is null`,
    { types: ['bigint', 'text', 'timestamptz'], count: 4 },
  ),
)
const VOID = statement<{ id: string }>(
  'void live charge',
  `update charges set voided_at = $3, follow_at = null
   where merchant_id = $1 and id = $2 and status = 'pending' and not published and voided_at is null returning id`,
)
/** Shows a charge that its rail took or may have taken, and sets its first question. */
export const publishCharge = (
  app: Pick<App, 'clock' | 'ladders'>,
  { merchantId, id }: Pick<Charge, 'merchantId' | 'id'>,
  how: Publication,
): Call => callAtTime(PUBLISH, { merchantId, id }, firstQuestionAt(app, how))

/** Shows charges that nobody has shown yet, and sets their first question; fails the transaction where one is not so any more. */
export function publishNewCharges(charges: readonly NewlyAccepted[]): Call {
  const each = toColumns(charges)
  return call(
    PUBLISH_NEW,
    ...each.numbers('merchantId'),
    ...each.texts('id'),
    ...each.times('followAt'),
    charges.length,
  )
}

/** Takes back a charge that its rail refused before it was shown. Returns its row; none when it was shown. */
export const takeBackCharge = ({ merchantId, id }: Pick<Charge, 'merchantId' | 'id'>, at: Date): Call<{ id: string }> =>
  call(VOID, merchantId, id, at.toISOString())

/** The columns of an open charge that is due. */
export const DUE_COLUMNS = `c.merchant_id as "merchantId", c.id, c.mode, c.amount, c.gift_card_amount as "giftCardAmount", c.channel, c.phone, c.reference,
  c.rail_reference as "railReference", c.created_at as "createdAt"`
const DUE = dueRowsSql('charges', 'c', `c.mode = 'live'`)
/** The claim, until $3, of the rows that `due` locks. It shows a charge whose submit died. */
const claimSql = (due: string) => `
  with due as (${due})
  update charges c set follow_at = $3, status = 'authorized', published = true
  from due, rail_attempts a
  where c.merchant_id = due.merchant_id and c.id = due.id and a.merchant_id = due.merchant_id and a.subject = due.id
  returning ${DUE_COLUMNS}, ${ATTEMPT_FACTS}, ${merchantTagSql('c')}`

const CLAIM_FREE = statement<FollowedCharge>(
  'claim due live charges',
  claimSql(`select c.merchant_id, c.id from charges c where c.follow_at <= $1 and c.mode = 'live'
    and (cardinality($4::text[]) = 0 or (select a.installation from rail_attempts a
      where a.merchant_id = c.merchant_id and a.subject = c.id) <> all($4))
    order by c.follow_at limit $2 for no key update of c skip locked`),
)
const DUE_LEVELS = statement<{ installation: string; levels: QuestionLevel[] }>('look for due live charges', DUE.levels)
const CLAIM_RECENT = statement<FollowedCharge>('claim recent live charges', claimSql(DUE.recent))
const CLAIM_OLD = statement<FollowedCharge>('claim old live charges', claimSql(DUE.old))

/** The claims of live charges that are due. */
export const LIVE_CHARGE_CLAIMS: LiveClaims<FollowedCharge> = buildLiveClaims('follow-charges', {
  free: CLAIM_FREE,
  dueLevels: DUE_LEVELS,
  recent: CLAIM_RECENT,
  old: CLAIM_OLD,
})

/** The fields of a charge that were fixed when it was created. */
type FixedChargeFacts = Omit<
  Charge,
  | 'status'
  | 'failureReason'
  | 'railTransactionId'
  | 'refundId'
  | 'completedAt'
  | 'refundedAt'
  | 'holdUntil'
  | 'settledAt'
  | 'split'
>

const FINISH_CHARGES = statement<FixedChargeFacts>(
  'end charges',
  `update charges c set status = n.status, failure_reason = n.failure_reason, rail_transaction_id = n.rail_transaction_id,
     completed_at = $9, follow_at = null, published = true, hold_until = n.hold_until, settled_at = n.settled_at,
     settlement_id = n.settlement_id
   from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::timestamptz[], $8::text[])
     as n (merchant_id, id, status, failure_reason, rail_transaction_id, hold_until, settled_at, settlement_id)
   where c.merchant_id = n.merchant_id and c.id = n.id and c.status in ('pending', 'authorized') and c.voided_at is null
   returning c.id, c.merchant_id as "merchantId", c.mode, c.amount, c.fee, c.gift_card_amount as "giftCardAmount", c.shares, c.channel,
     c.reference, c.rail_reference as "railReference", c.payment_link_id as "paymentLinkId", c.created_at as "createdAt",
     c.phone, c.email, c.customer_name as "customerName", c.metadata`,
)

/** Finishes the charges that are still open and returns their rows; the others were finished before by another call. */
export function finishCharges(outcomes: readonly ChargeOutcomeRow[], at: Date): Call<FixedChargeFacts> {
  const each = toColumns(outcomes)
  return call(
    FINISH_CHARGES,
    ...each.numbers('merchantId'),
    ...each.texts('id', 'status', 'failureReason', 'railTransactionId'),
    ...each.times('holdUntil', 'settledAt'),
    ...each.texts('settlementId'),
    at.toISOString(),
  )
}

/**
 * Builds the whole finished charge from the fields that never change and those just written to its row. Every payment passes here, so it
 * is written field by field: spreading an object costs several times as much.
 */
export function buildFinishedCharge(row: FixedChargeFacts, outcome: ChargeOutcomeRow, at: Date): Charge {
  return {
    merchantId: row.merchantId,
    id: row.id,
    mode: row.mode,
    status: outcome.status,
    amount: row.amount,
    fee: row.fee,
    giftCardAmount: row.giftCardAmount,
    shares: row.shares,
    channel: row.channel,
    phone: row.phone,
    email: row.email,
    customerName: row.customerName,
    metadata: row.metadata,
    reference: row.reference,
    railReference: row.railReference,
    railTransactionId: outcome.railTransactionId,
    failureReason: outcome.failureReason,
    paymentLinkId: row.paymentLinkId,
    refundId: null,
    createdAt: row.createdAt,
    completedAt: at,
    refundedAt: null,
    holdUntil: outcome.holdUntil,
    settledAt: outcome.settledAt,
  }
}

const REFUND = statement(
  'refund charges',
  `update charges c set status = 'refunded', refunded_at = n.at, refund_id = n.refund_id
   from unnest($1::bigint[], $2::text[], $3::text[], $4::timestamptz[]) as n (merchant_id, id, refund_id, at)
   where c.merchant_id = n.merchant_id and c.id = n.id and c.status = 'succeeded'`,
)

type ChargeRefund = { merchantId: number; id: string; refundId: string | null; at: Date }

/** Marks locked, succeeded charges as refunded by these payouts; `refundId` is null where a gift card gets all of it back. */
export const refundCharges = (refunded: readonly ChargeRefund[]): Call[] =>
  callForRows(REFUND, refunded, (each) => [
    ...each.numbers('merchantId'),
    ...each.texts('id', 'refundId'),
    ...each.times('at'),
  ])
