import { statement } from '../../platform/db/statement.ts'
import type { StatementMoneyOut } from './shape.ts'
import { type LineMembers, listColumnKinds, rowsSql, seqAmong, textMember, wholeMember } from './window.ts'

const MEMBERS = {
  reference: textMember('reference'),
  id: textMember('id'),
  rail_reference: textMember('rail_reference'),
  party: textMember('recipient_phone'),
  kind: textMember('kind'),
  amount: wholeMember('amount'),
  fee: wholeMember('fee'),
  total: wholeMember('amount + fee'),
  // $7: the state as of this time, the end of a finished month; null for the present.
  status: textMember(`case when $7::timestamptz is null or completed_at < $7 then status else 'pending' end`),
} satisfies LineMembers & Record<keyof Omit<StatementMoneyOut, 'date'>, unknown>

export const MONEY_OUT_KINDS = listColumnKinds(MEMBERS)

/** The payouts of a window. $8: only these transfers of it; null for all. A payout that is not published (yet) has no line here. */
export const MONEY_OUT = statement(
  'money out of a statement',
  rowsSql(MEMBERS, {
    kind: 'payout_reserve',
    table: 'payouts',
    among: `status in ('pending', 'authorized', 'succeeded', 'failed') and published`,
    before: '1 minute',
    any: 'published',
    which: seqAmong('$8'),
  }),
)
