import type { Invariant } from '../invariant.ts'

// All movements that go to a rail, without charges that a gift card covers in full.
const MOVEMENTS = `select merchant_id, id, mode, channel, rail_reference, 'collect' as side, voided_at, completed_at from charges
    where rail_reference is not null or amount > gift_card_amount
  union all select merchant_id, id, mode, channel, rail_reference, 'disburse', voided_at, completed_at from payouts
  union all select merchant_id, id, 'live', channel, rail_reference, 'collect', voided_at, completed_at from top_ups`
const ALL = ['charges', 'payouts', 'top_ups'].map((table) => `(select count(*) from ${table})`).join(' + ')
const FOLLOWED = ['charges', 'payouts', 'top_ups']
  .map((table) => `(select count(*) from ${table} where follow_at is not null)`)
  .join(' + ')

// The operator's answers that allow a final state, the same for every noun. `refused` counts once three questions have confirmed it.
const ALLOWED_ANSWERS = `case status when 'failed' then array['failed', 'rejected', 'refused', 'unavailable'] else array['succeeded'] end as words`

// Final live movements that went to a rail, with the answers that allow their state. Withdrawals that were not approved never left.
const FINAL_MOVEMENTS = `select merchant_id, id, rail_reference, ${ALLOWED_ANSWERS} from charges
    where mode = 'live' and rail_reference is not null and status in ('succeeded', 'failed', 'refunded')
  union all select merchant_id, id, rail_reference, ${ALLOWED_ANSWERS}
    from payouts p where mode = 'live' and status in ('succeeded', 'failed') and not exists (select from withdrawals w
      where (w.merchant_id, w.id) = (p.merchant_id, p.id) and w.state in ('rejected', 'cancelled'))
  union all select merchant_id, id, rail_reference, ${ALLOWED_ANSWERS} from top_ups where status in ('succeeded', 'failed')`
const OPEN_MOVEMENTS = `select merchant_id, id, rail_reference from charges
    where mode = 'live' and status in ('pending', 'authorized') and voided_at is null
  union all select merchant_id, id, rail_reference from payouts
    where mode = 'live' and status in ('pending', 'authorized') and voided_at is null
  union all select merchant_id, id, rail_reference from top_ups where status in ('pending', 'authorized') and voided_at is null`

/** Charges, payouts and top-ups compared with their rail attempts. */
export const RAIL_INVARIANTS: readonly Invariant[] = [
  {
    id: 'P4',
    says: 'every charge, payout and top-up has one rail reference of its own, and a live one its one attempt under it, which agrees',
    counted: `select ${ALL}`,
    offenders: `select unnest(array_agg(merchant_id)) as merchant_id, unnest(array_agg(mode)) as mode, unnest(array_agg(id)) as offender
        from (${MOVEMENTS}) m where rail_reference is not null
        group by rail_reference having count(*) > 1
      union all
      select merchant_id, mode, id from (${MOVEMENTS}) m where rail_reference is null
      union all
      select coalesce(m.merchant_id, a.merchant_id), 'live', coalesce(m.id, a.subject) from (select * from (${MOVEMENTS}) m where mode = 'live' and rail_reference is not null) m
        full join rail_attempts a on (a.merchant_id, a.subject) = (m.merchant_id, m.id)
        where ((a.id, a.side, a.channel) = (m.rail_reference, m.side, m.channel)
          and (a.state = 'void') = (m.voided_at is not null) and (a.state <> 'ended' or m.completed_at is not null)) is not true`,
  },
  {
    id: 'CH5',
    says: 'every open charge, payout and top-up has a time at which its rail is asked next, no other has one; withdrawals may wait',
    counted: `select ${FOLLOWED}`,
    offenders: `select c.merchant_id, c.mode, c.id as offender from charges c
        where (c.status in ('pending', 'authorized') and c.voided_at is null) <> (c.follow_at is not null)
      union all
      select p.merchant_id, p.mode, p.id from payouts p
        where (p.status in ('pending', 'authorized') and p.voided_at is null) <> (p.follow_at is not null)
          and (p.kind <> 'withdrawal' or p.status <> 'pending' or p.follow_at is not null)
      union all
      select t.merchant_id, 'live', t.id from top_ups t
        where (t.status in ('pending', 'authorized') and t.voided_at is null) <> (t.follow_at is not null)`,
  },
  {
    id: 'RA1',
    says: 'a live attempt that may have left says since when and to which contract, and nothing was heard about it elsewhere',
    counted: 'select count(*) from rail_attempts',
    // A post that was provably not taken says nothing about the contract of the attempt.
    offenders: `select a.merchant_id, 'live' as mode, a.subject as offender from rail_attempts a
        where a.state in ('sending', 'accepted', 'in_doubt') and a.first_sent_at is null
          or a.first_sent_at is not null and (a.installation = '' or a.state = 'queued')
      union
      select a.merchant_id, 'live', a.subject from rail_attempts a join rail_evidence e on (e.merchant_id, e.attempt_id) = (a.merchant_id, a.id)
        where e.installation <> a.installation and e.operation <> 'ready'
          and (e.operation, e.answer) <> ('submit', 'unavailable')`,
  },
  {
    id: 'RA2',
    says: 'a live payout that waits to be sent and has never left stands in the queue that a freeze or a pause holds back, and no other does',
    counted: 'select count(*) from payouts',
    offenders: `select p.merchant_id, p.mode, p.id as offender from payouts p
        left join rail_attempts a on (a.merchant_id, a.subject) = (p.merchant_id, p.id)
        where p.in_queue <> ((a.state in ('queued', 'not_sent') and a.first_sent_at is null) is true)`,
  },
  {
    id: 'RA3',
    says: "behind every end of a live movement stands the operator's own word, and none that ends it behind an open one",
    counted: `select count(*) from (${FINAL_MOVEMENTS}) ended`,
    offenders: `select m.merchant_id, 'live' as mode, m.id as offender from (${FINAL_MOVEMENTS}) m where not exists (select from rail_evidence e
        where (e.merchant_id, e.attempt_id) = (m.merchant_id, m.rail_reference) and e.answer = any(m.words))
      union
      select o.merchant_id, 'live', o.id from (${OPEN_MOVEMENTS}) o join rail_evidence e on (e.merchant_id, e.attempt_id) = (o.merchant_id, o.rail_reference)
        where e.answer in ('succeeded', 'failed')`,
  },
]
