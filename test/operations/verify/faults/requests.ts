import { BATCH, CHARGE, type Fault, PAYOUT, PREPARED, SCHEDULE } from '../names.ts'
import { change, each, keys, payouts, plant, remove } from '../planting.ts'

const { livePaid, open, inDoubt } = PAYOUT

export const REQUEST_FAULTS: readonly Fault[] = [
  ...plant('ID8', [
    ...each(
      [CHARGE.held, CHARGE.testPaid, livePaid, open, inDoubt, BATCH.first, SCHEDULE.daily, PREPARED.waiting],
      (id) => [id, `${id} whose key is gone, so that a repeat makes it again`, remove(keys(id))],
    ),
  ]),
  ...plant('RQ1', [
    ...each([livePaid, open, inDoubt], (payout) => [
      payout,
      `${payout} to somebody else than was answered`,
      change(payouts(payout), `recipient_phone = '256799999999'`),
    ]),
    ...each([livePaid, open, inDoubt], (payout) => [
      payout,
      `${payout} of another amount than was answered`,
      change(payouts(payout), 'amount = amount * 10'),
    ]),
    [
      PAYOUT.withdrawn,
      'a withdrawal paid to somebody else than was told',
      change(payouts(PAYOUT.withdrawn), `recipient_phone = '256799999999'`),
    ],
    [
      livePaid,
      'a payout told to somebody else, long after its key',
      `${remove(keys(livePaid))}; ${change(payouts(livePaid), `recipient_phone = '256799999999'`)}`,
    ],
  ]),
]
