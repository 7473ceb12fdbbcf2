import { statement } from '../../platform/db/statement.ts'
import type { StatementMoneyIn } from './shape.ts'
import { type LineMembers, listColumnKinds, membersAsColumns, rowsSql, textMember, wholeMember } from './window.ts'

const MEMBERS = {
  reference: textMember('reference'),
  id: textMember('id'),
  rail_reference: textMember('rail_reference'),
  party: textMember('phone'),
  channel: textMember('channel'),
  gross: wholeMember('amount'),
  gift_card: wholeMember('gift_card_amount'),
  fee: wholeMember('fee'),
  net: wholeMember('amount - gift_card_amount - fee'),
} satisfies LineMembers & Record<keyof Omit<StatementMoneyIn, 'date'>, unknown>

/** The kinds of the columns of a paid charge's row, and the column whose sum is what gift cards paid. */
export const MONEY_IN_KINDS = listColumnKinds(MEMBERS)
export const GIFT_CARD_COLUMN = 'gift_card' satisfies keyof typeof MEMBERS
/** The columns of a paid charge's row without the date, for charges without a transfer. */
export const COVERED_COLUMNS = membersAsColumns(MEMBERS)

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
