import { type Fault, of, PAYOUT } from '../names.ts'
import { change, each, payouts, plant, remove, withdrawals } from '../planting.ts'

const { requested, approved, withdrawn, rejected, cancelled } = PAYOUT
const decide = (state: string, withdrawal: string) =>
  `update withdrawals set state = '${state}', decided_at = '2026-03-10T08:00:00Z' where ${of(withdrawal)}`

export const WITHDRAWAL_FAULTS: readonly Fault[] = [
  ...plant('W1', [
    [requested, 'a withdrawal sent before it is approved', change(payouts(requested), 'follow_at = created_at')],
    [requested, 'a withdrawal paid before it is approved', change(payouts(requested), `status = 'succeeded'`)],
    [approved, 'a withdrawal that waits for nothing', change(payouts(approved), 'follow_at = null')],
    ...each([approved, withdrawn], (withdrawal) => [
      withdrawal,
      `${withdrawal} rejected but not returned`,
      decide('rejected', withdrawal),
    ]),
    [rejected, 'a decision for the other one', decide('cancelled', rejected)],
    [
      cancelled,
      'a return of another moment',
      change(payouts(cancelled), `completed_at = completed_at + interval '1 ms'`),
    ],
    [requested, 'a withdrawal that nobody decides', remove(withdrawals(requested))],
    [approved, 'a decision about a payout', change(payouts(approved), `kind = 'payout'`)],
    [withdrawn, 'test money withdrawn', change(payouts(withdrawn), `mode = 'test'`)],
  ]),
]
