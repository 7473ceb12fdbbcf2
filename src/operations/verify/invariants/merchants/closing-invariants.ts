import { hasAction, MERCHANTS_WITH_FACTS } from '../audit-sql.ts'
import type { Invariant } from '../invariant.ts'

const ACCOUNT_STATE_SQL = `case when m.closed_at is not null then 'closed' when m.closing_at is not null then 'closing' else 'open' end`
// A charge that was accepted before the account began to close may be dated by another machine.
const SLACK = `interval '5 minutes'`
// Uses the indexes of charges, which separate finished charges from open ones.
const CHARGED_SINCE = `c.merchant_id = m.id and c.mode = 'live' and c.created_at > m.closing_at + ${SLACK}`
const TOOK_MONEY = `exists (select from charges c where ${CHARGED_SINCE} and c.status in ('succeeded', 'failed', 'refunded') and c.published and c.completed_at is not null)
  or exists (select from charges c where ${CHARGED_SINCE} and c.follow_at is not null)
  or exists (select from top_ups t where t.merchant_id = m.id and t.created_at > m.closing_at + ${SLACK} and t.published)`

export const CLOSING_INVARIANTS: readonly Invariant[] = [
  {
    id: 'CL1',
    says: 'an account closes, is closed or is open because somebody said so, and takes no real money from then on',
    counted: 'select count(*) from merchants',
    // A release before this one closed what was never used, and said no state.
    offenders: `select m.id as merchant_id, 'live'::mode as mode, m.public_id as offender from merchants m
      left join (select distinct on (a.merchant_id) a.merchant_id, coalesce(a.after->>'account', 'closed') as account from audit a
        where ${hasAction('merchant.close', 'merchant.reopen')} order by a.merchant_id, a.id desc) said on said.merchant_id = m.id
      where ${ACCOUNT_STATE_SQL} <> coalesce(said.account, case when m.id in (select merchant_id from ${MERCHANTS_WITH_FACTS} k) then 'open' else ${ACCOUNT_STATE_SQL} end)
      union all
      select m.id, 'live', m.public_id from merchants m where m.closing_at is not null and (${TOOK_MONEY})`,
  },
]
