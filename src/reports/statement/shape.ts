import { type Static, Type } from 'typebox'
import { ModeShape } from '../../platform/mode.ts'
import type { ExactSum } from '../../platform/sums.ts'

const orNull = <T extends ReturnType<typeof Type.String>>(schema: T) => Type.Union([schema, Type.Null()])
const text = () => orNull(Type.String())
const money = (description?: string) =>
  Type.Unsafe<ExactSum>(Type.Integer(description === undefined ? {} : { description }))
const date = Type.String({ format: 'date-time', description: 'with the offset of Kampala, +03:00' })
const railReference = orNull(Type.String({ description: 'the reference we gave the rail' }))

/** The fields that every charge and payout begins with. */
const paymentMembers = (id: string, party: string) => ({
  date,
  reference: text(),
  id: Type.String({ description: id }),
  rail_reference: railReference,
  party: orNull(Type.String({ description: party })),
})

const MoneyInLine = Type.Object(
  {
    ...paymentMembers('the charge', 'the phone that paid'),
    channel: Type.String(),
    gross: money('the amount of the charge, whole UGX'),
    gift_card: money('of it paid by gift card'),
    fee: money(),
    net: money('gross minus gift_card minus fee'),
  },
  { $id: 'StatementMoneyIn' },
)
const MoneyOutLine = Type.Object(
  {
    ...paymentMembers('the payout', 'the phone that is paid'),
    kind: Type.Enum(['payout', 'bulk', 'scheduled', 'refund', 'withdrawal'], { $id: 'StatementMoneyOutKind' }),
    amount: money(),
    fee: money(),
    total: money('amount plus fee: what left the balance'),
    status: Type.Enum(['pending', 'authorized', 'succeeded', 'failed'], {
      $id: 'PayoutStatus',
      description: 'of a complete month as it was at period_end; what failed comes back as an adjustment',
    }),
  },
  { $id: 'StatementMoneyOut' },
)
const AdjustmentLine = Type.Object(
  {
    date,
    kind: Type.Enum(
      [
        'payout_returned',
        'refund_fee_returned',
        'split_share',
        'add_funds',
        'top_up',
        'released_reservation',
        'correction',
      ],
      { $id: 'StatementAdjustmentKind' },
    ),
    reference: text(),
    id: orNull(Type.String({ description: 'the payout or charge it belongs to' })),
    rail_reference: railReference,
    amount: money('what it adds to the balance; negative where it takes'),
    note: orNull(
      Type.String({
        description: 'why a payout failed, the refund, the subaccount of the share, or what a correction is for',
      }),
    ),
  },
  { $id: 'StatementAdjustment' },
)
const Totals = Type.Object(
  {
    gross_in: money(),
    gift_cards: money(),
    collected_net: money('gross_in minus gift_cards minus charge_fees'),
    paid_out: money('without fees'),
    paid_out_total: money('with fees'),
    fees: money('charge_fees plus payout_fees'),
    charge_fees: money(),
    payout_fees: money(),
    adjustments_net: money(),
    count_in: Type.Integer({ minimum: 0 }),
    count_out: Type.Integer({ minimum: 0 }),
    count_adjustments: Type.Integer({ minimum: 0 }),
  },
  { $id: 'StatementTotals' },
)

/** A month as the API shows it (contract.md 2.4), fields in the order in which they are sent. */
export const StatementShape = Type.Object(
  {
    object: Type.Literal('statement'),
    mode: ModeShape,
    merchant_name: Type.String(),
    merchant_handle: text(),
    vat_number: text(),
    period: Type.String({ description: 'YYYY-MM' }),
    period_key: Type.String({ description: 'the same value' }),
    period_label: Type.String({ description: 'such as July 2026' }),
    timezone: Type.Literal('Africa/Kampala'),
    period_start: Type.String({ format: 'date-time' }),
    period_end: Type.String({ format: 'date-time', description: 'exclusive' }),
    currency: Type.Literal('UGX'),
    generated_at: Type.String({ format: 'date-time', description: 'of a complete month its period_end' }),
    complete: Type.Boolean({
      description: 'false: the month is still running, and closing_balance is the total of GET /v1/balance',
    }),
    opening_balance: money('available + pending'),
    closing_balance: money('opening_balance + collected_net - paid_out_total + adjustments_net, always'),
    money_in: Type.Array(MoneyInLine, {
      description: 'charges that succeeded, later refunded ones included',
    }),
    money_out: Type.Array(MoneyOutLine, {
      description: 'payouts and refunds accepted, in flight ones included',
    }),
    adjustments: Type.Array(AdjustmentLine, { description: 'every other movement' }),
    totals: Totals,
  },
  { $id: 'Statement' },
)

/** A month as a PDF document. */
export const StatementPdfShape = Type.String({ format: 'binary', contentMediaType: 'application/pdf' })

type StatementBody = Static<typeof StatementShape>
/** The part of a statement before its lines. */
export type StatementHead = Omit<StatementBody, 'money_in' | 'money_out' | 'adjustments' | 'totals'>
export type StatementTotals = StatementBody['totals']
export type StatementMoneyIn = StatementBody['money_in'][number]
export type StatementMoneyOut = StatementBody['money_out'][number]
export type StatementAdjustment = StatementBody['adjustments'][number]
