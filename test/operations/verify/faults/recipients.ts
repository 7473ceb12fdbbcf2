import { BATCH, CARDED, CHARGE, type Fault, PAYOUT, PREPARED, SCHEDULE, SUBACCOUNT, TOP_UP } from '../names.ts'
import {
  batches,
  change,
  charges,
  each,
  keys,
  payouts,
  plant,
  prepared,
  schedules,
  subaccounts,
  topUps,
} from '../planting.ts'

const STRANGER = `'256799999999'`
const { requested, approved, subOpen, livePaid } = PAYOUT
const inItems = (path: string, value: string) => `items = jsonb_set(items, '${path}', '${value}')`

export const RECIPIENT_FAULTS: readonly Fault[] = [
  ...plant('RC1', [
    ...each([CHARGE.held, CHARGE.testPaid, CHARGE.liveOpen, CARDED.paid], (charge) => [
      charge,
      `the phone of ${charge} replaced, and how it is found`,
      change(charges(charge), `phone = ${STRANGER}, phone9 = '799999999'`),
    ]),
    [CHARGE.held, 'the phone of a paid charge replaced', change(charges(CHARGE.held), `phone = ${STRANGER}`)],
    [CHARGE.held, 'the phone of a paid charge gone', change(charges(CHARGE.held), 'phone = null')],
    [
      CHARGE.held,
      'a charge of an earlier release found by another phone',
      change(charges(CHARGE.held), `phone = ${STRANGER}, phone_digest = null`),
    ],
  ]),
  ...plant('RC2', [
    ...each([requested, approved, subOpen, livePaid], (payout) => [
      payout,
      `${payout} to another number than was asked for`,
      change(payouts(payout), `recipient_phone = ${STRANGER}`),
    ]),
    ...each([requested, approved, subOpen, livePaid], (payout) => [
      payout,
      `${payout} of another amount than was asked for`,
      change(payouts(payout), 'amount = amount + 1'),
    ]),
    [TOP_UP.paid, 'a top-up by another phone', change(topUps(TOP_UP.paid), `phone = ${STRANGER}`)],
  ]),
  ...plant('RC3', [
    [
      requested,
      'a withdrawal to a number that differs where the audit masks it',
      `update withdrawal_numbers set set_at = set_at - interval '1 hour';
      ${change(payouts(requested), `recipient_phone = '256711111009'`)}`,
    ],
    [
      subOpen,
      "a pay-out to a number that is not the subaccount's",
      change(payouts(subOpen), `recipient_phone = '256711111008'`),
    ],
  ]),
  ...plant('RC4', [
    [
      PREPARED.waiting,
      'a prepared payout to somebody else',
      change(
        prepared(PREPARED.waiting),
        `request = convert_to('{"amount":20000,"recipient":{"phone":"256799999999"}}', 'UTF8')`,
      ),
    ],
    [
      PREPARED.waiting,
      'the same with its fingerprint',
      change(
        prepared(PREPARED.waiting),
        `request = convert_to('{"amount":20000,"recipient":{"phone":"256799999999"}}', 'UTF8'),
        fingerprint = sha256(convert_to('{"amount":20000,"recipient":{"phone":"256799999999"}}', 'UTF8'))`,
      ),
    ],
    [
      PREPARED.waiting,
      'a prepared payout of another amount',
      change(prepared(PREPARED.waiting), 'amount = amount + 1'),
    ],
    [
      PREPARED.approved,
      'an approved payout to somebody else',
      change(payouts(livePaid), `recipient_phone = ${STRANGER}`),
    ],
    [PREPARED.approved, 'an approval of other bytes', change(keys(livePaid), `fingerprint = sha256('x'::bytea)`)],
  ]),
  ...plant('RC5', [
    [
      BATCH.waiting,
      'an item of a bulk call that goes to somebody else',
      change(batches(BATCH.waiting), inItems('{0,phone}', '"256799999999"')),
    ],
    [
      BATCH.waiting,
      'an item of another amount, with its digest',
      `${change(batches(BATCH.waiting), `digest = null, ${inItems('{0,amount}', '7000')}`)}`,
    ],
    ...each([SCHEDULE.daily, SCHEDULE.poor], (schedule) => [
      schedule,
      `a recipient of ${schedule} replaced`,
      change(schedules(schedule), `recipients = jsonb_set(recipients, '{0,phone}', '"256799999999"')`),
    ]),
    [SCHEDULE.poor, 'a schedule of another amount', change(schedules(SCHEDULE.poor), 'amount = amount + 1')],
    [SCHEDULE.live, 'another interval', change(schedules(SCHEDULE.live), `interval = 'daily'`)],
  ]),
  ...plant('RC6', [
    [
      SUBACCOUNT.shop,
      'a subaccount with another phone',
      change(subaccounts(SUBACCOUNT.shop), `payout_phone = ${STRANGER}`),
    ],
  ]),
]
