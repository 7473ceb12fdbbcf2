import { type Fault, of, PAYOUT } from '../names.ts'

const { requested, approved, withdrawn, rejected, cancelled } = PAYOUT
const decide = (state: string, withdrawal: string) =>
  `update withdrawals set state = '${state}', decided_at = '2026-03-10T08:00:00Z' where ${of(withdrawal)}`

export const WITHDRAWAL_FAULTS: readonly Fault[] = [
  {
    id: 'W1',
    fault: 'a withdrawal sent before it is approved',
    sql: `update payouts set follow_at = created_at where ${of(requested)}`,
    names: requested,
  },
  {
    id: 'W1',
    fault: 'a withdrawal paid before it is approved',
    sql: `update payouts set status = 'succeeded' where ${of(requested)}`,
    names: requested,
  },
  {
    id: 'W1',
    fault: 'a withdrawal that waits for nothing',
    sql: `update payouts set follow_at = null where ${of(approved)}`,
    names: approved,
  },
  ...[approved, withdrawn].map((withdrawal) => ({
    id: 'W1',
    fault: `${withdrawal} rejected but not returned`,
    sql: decide('rejected', withdrawal),
    names: withdrawal,
  })),
  { id: 'W1', fault: 'a decision for the other one', sql: decide('cancelled', rejected), names: rejected },
  {
    id: 'W1',
    fault: 'a return of another moment',
    sql: `update payouts set completed_at = completed_at + interval '1 ms' where ${of(cancelled)}`,
    names: cancelled,
  },
  {
    id: 'W1',
    fault: 'a withdrawal that nobody decides',
    sql: `delete from withdrawals where ${of(requested)}`,
    names: requested,
  },
  {
    id: 'W1',
    fault: 'a decision about a payout',
    sql: `update payouts set kind = 'payout' where ${of(approved)}`,
    names: approved,
  },
  {
    id: 'W1',
    fault: 'test money withdrawn',
    sql: `update payouts set mode = 'test' where ${of(withdrawn)}`,
    names: withdrawn,
  },
]
