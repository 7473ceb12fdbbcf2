import { addTransfer, CHARGE, type Fault, of } from '../../names.ts'
import { change, copy, events, plant, remove } from '../../planting.ts'
import { DISPUTED } from '../../selling/world-disputes.ts'

const DISPUTE = 'dsp_onexx0000000000000001'
const { open, closed } = DISPUTED
const ofCharge = (charge: string) => `charge_id = '${charge}'`

// Ids are random. This dispute gets an id that the test knows, also in its event.
const named = (charge: string) => `
  update events e set subject = '${DISPUTE}', body = replace(body, d.id, '${DISPUTE}') from disputes d
    where e.subject = d.id and d.${ofCharge(charge)};
  update disputes set id = '${DISPUTE}' where ${ofCharge(charge)};`

const dispute = { table: 'disputes', where: of(DISPUTE) }
/** Faults of the open dispute. Verify must report this dispute. */
const plantDispute = (id: 'LI6' | 'E2', faults: readonly (readonly [fault: string, sql: string])[]) =>
  plant(
    id,
    faults.map(([fault, sql]) => [DISPUTE, fault, `${named(open)} ${sql}`]),
  )

export const DISPUTE_FAULTS: readonly Fault[] = [
  ...plantDispute('LI6', [
    [`a dispute about ${CHARGE.liveOpen}`, change(dispute, ofCharge(CHARGE.liveOpen))],
    [`a dispute about ${CHARGE.liveFailed}`, change(dispute, ofCharge(CHARGE.liveFailed))],
    ['a dispute about txn_nobody', change(dispute, ofCharge('txn_nobody'))],
    ['a dispute of another merchant', change(dispute, 'merchant_id = 2')],
    ['a dispute of the other mode', change(dispute, `mode = 'test'`)],
    ['another time to answer', change(dispute, `respond_by = respond_by + interval '1 second'`)],
    ['a dispute closed before it was opened', change(dispute, `closed_at = opened_at - interval '1 minute'`)],
    [
      'a dispute that moved money',
      addTransfer(`1, 'live', 99, 'correction', '${DISPUTE}', 'available', 'corrections', 1`),
    ],
  ]),
  ...plant('LI6', [
    [open, 'two open disputes of one charge', `${named(open)} ${copy(dispute, { id: 'dsp_onexx0000000000000002' })}`],
  ]),
  ...plantDispute('E2', [
    ['a dispute that nobody was told of', remove(events(DISPUTE))],
    ['a dispute told twice', copy(events(DISPUTE), { id: 'evt_1' })],
    ['an event without its dispute', remove(dispute)],
    ...[`created_at = created_at + interval '1 ms'`, 'merchant_id = 2', `mode = 'test'`, `type = 'test.ping'`].map(
      (other) => [`an event with ${other}`, change(events(DISPUTE), other)] as const,
    ),
    ...[
      `${ofCharge(closed)}`,
      `reason = 'other'`,
      'details = null',
      `contact = contact || ' '`,
      `opened_at = opened_at - interval '1 ms'`,
      `respond_by = respond_by + interval '1 ms'`,
    ].map((other) => [`a dispute changed to ${other}`, change(dispute, other)] as const),
  ]),
]
