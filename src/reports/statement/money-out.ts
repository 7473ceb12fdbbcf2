import { statement } from '../../platform/db/statement.ts'
import type { MoneyOut } from './shape.ts'
import { kindsOf, type Members, numbered, rowsSql, text, whole } from './window.ts'

const MEMBERS = {
  reference: text('reference'),
  id: text('id'),
  rail_reference: text('rail_reference'),
  party: text('recipient_phone'),
  kind: text('kind'),
  amount: whole('amount'),
  fee: whole('fee'),
  total: whole('amount + fee'),
  // $7: the state as of this time, the end of a finished month; null for the present.
  status: text(`case when $7::timestamptz is null or completed_at < $7 then status else 'pending' end`),
} satisfies Members & Record<keyof Omit<MoneyOut, 'date'>, unknown>

export const MONEY_OUT_KINDS = kindsOf(MEMBERS)

/** The payouts of a window. $8: only these transfers of it; null for all. A payout that is not published (yet) has no line here. */
export const MONEY_OUT = statement(
  'money out of a statement',
  rowsSql(MEMBERS, {
    kind: 'payout_reserve',
    table: 'payouts',
    among: `status in ('pending', 'authorized', 'succeeded', 'failed') and published`,
    before: '1 minute',
    any: 'published',
    which: numbered('$8'),
  }),
)
