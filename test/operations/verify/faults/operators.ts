import { CHARGE, type Fault, PAYOUT, TOP_UP } from '../names.ts'
import { change, charges, payouts, plant, topUps } from '../planting.ts'

const numberOf = (charge: string) => `(select rail_transaction_id from charges where id = '${charge}')`

export const OPERATOR_FAULTS: readonly Fault[] = [
  ...plant('ON1', [
    [
      CHARGE.held,
      'one collection credited twice',
      change(charges(CHARGE.held), `rail_transaction_id = ${numberOf(CHARGE.released)}`),
    ],
    [
      TOP_UP.paid,
      'a charge credited again as a top-up',
      change(topUps(TOP_UP.paid), `rail_transaction_id = ${numberOf(CHARGE.aged)}`),
    ],
    [
      PAYOUT.livePaid,
      'one payment sent twice',
      `update payouts set rail_transaction_id = 'twice' where mode = 'live' and status = 'succeeded';
      update rail_attempts set installation = 'one' where side = 'disburse'`,
    ],
  ]),
  ...plant('ON2', [
    [CHARGE.held, 'a paid charge whose number is gone', change(charges(CHARGE.held), 'rail_transaction_id = null')],
    [CHARGE.held, 'a paid charge with another number', change(charges(CHARGE.held), `rail_transaction_id = '1'`)],
    [
      PAYOUT.livePaid,
      'a paid payout whose number is gone',
      change(payouts(PAYOUT.livePaid), 'rail_transaction_id = null'),
    ],
  ]),
]
