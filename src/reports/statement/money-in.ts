import { statement } from '../../platform/db/statement.ts'
import type { MoneyIn } from './shape.ts'
import { columnsOf, kindsOf, type Members, rowsSql, text, whole } from './window.ts'

const MEMBERS = {
  reference: text('reference'),
  id: text('id'),
  rail_reference: text('rail_reference'),
  party: text('phone'),
  channel: text('channel'),
  gross: whole('amount'),
  gift_card: whole('gift_card_amount'),
  fee: whole('fee'),
  net: whole('amount - gift_card_amount - fee'),
} satisfies Members & Record<keyof Omit<MoneyIn, 'date'>, unknown>

/** The kinds of the columns of a paid charge's row, and the column whose sum is what gift cards paid. */
export const MONEY_IN_KINDS = kindsOf(MEMBERS)
export const GIFT_CARD = 'gift_card' satisfies keyof typeof MEMBERS
/** The columns of a paid charge's row without the date, for charges without a transfer. */
export const COVERED_COLUMNS = columnsOf(MEMBERS)

/** The paid charges of a window. */
export const MONEY_IN = statement(
  'money in of a statement',
  rowsSql(MEMBERS, {
    kind: 'charge_fee',
    table: 'charges',
    among: `status in ('succeeded', 'refunded') and completed_at is not null and published`,
    before: '2 minutes',
    any: 'true',
    which: 'true',
  }),
)
