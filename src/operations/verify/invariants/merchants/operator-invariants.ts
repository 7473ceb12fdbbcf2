import { type Invariant, PAID } from '../invariant.ts'

// Live payments that an operator has moved, with the operator's number.
const OPERATOR_PAYMENTS = `select c.merchant_id, c.id, c.rail_reference, c.rail_transaction_id, 'collect' as side, c.completed_at from charges c
    where c.mode = 'live' and ${PAID} and c.rail_reference is not null
  union all select merchant_id, id, rail_reference, rail_transaction_id, 'disburse', completed_at from payouts where mode = 'live' and status = 'succeeded'
  union all select merchant_id, id, rail_reference, rail_transaction_id, 'collect', completed_at from top_ups where status = 'succeeded'`

/** The operators' own numbers. A collection that was credited twice has one number on two payments. */
export const OPERATOR_INVARIANTS: readonly Invariant[] = [
  {
    id: 'ON1',
    says: 'no number of an operator stands on two payments that succeeded through one contract',
    counted: `select count(*) from (${OPERATOR_PAYMENTS}) m where rail_transaction_id is not null`,
    // All but the first of each number.
    offenders: `select merchant_id, 'live'::mode as mode, id as offender
      from (select m.*, row_number() over (partition by a.installation, m.side, m.rail_transaction_id order by m.completed_at, m.id) as nth
        from (${OPERATOR_PAYMENTS}) m join rail_attempts a on (a.merchant_id, a.id) = (m.merchant_id, m.rail_reference)
        where m.rail_transaction_id in (select rail_transaction_id from (${OPERATOR_PAYMENTS}) twice where rail_transaction_id is not null
          group by rail_transaction_id having count(*) > 1)) numbered
      where nth > 1`,
  },
  {
    id: 'ON2',
    says: 'a payment that succeeded has the number that the answer of its operator gave',
    counted: `select count(*) from rail_evidence where answer = 'succeeded'`,
    offenders: `select m.merchant_id, 'live'::mode as mode, m.id as offender from (${OPERATOR_PAYMENTS}) m
      join rail_evidence e on (e.merchant_id, e.attempt_id) = (m.merchant_id, m.rail_reference) and e.answer = 'succeeded'
      where e.rail_transaction_id <> coalesce(m.rail_transaction_id, '')`,
  },
]
