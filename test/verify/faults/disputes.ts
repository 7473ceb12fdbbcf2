import { about, addTransfer, CHARGE, type Fault } from '../names.ts'
import { DISPUTED } from '../world-disputes.ts'

const DISPUTE = 'dsp_onexx0000000000000001'
const { open, closed } = DISPUTED
const ofCharge = (charge: string) => `charge_id = '${charge}'`

// The ids are drawn by chance; this one is called by a name, in its event too.
const named = (charge: string) => `
  update events e set subject = '${DISPUTE}', body = replace(body, d.id, '${DISPUTE}') from disputes d
    where e.subject = d.id and d.${ofCharge(charge)};
  update disputes set id = '${DISPUTE}' where ${ofCharge(charge)};`

const plant = (id: 'LI6' | 'E2', fault: string, sql: string): Fault => ({
  id,
  fault,
  sql: `${named(open)} ${sql}`,
  names: DISPUTE,
})

const another = (chargeId: string) => `
  insert into disputes (merchant_id, id, mode, charge_id, reason, opened_at, respond_by)
    select merchant_id, 'dsp_onexx0000000000000002', mode, '${chargeId}', reason, opened_at, respond_by
    from disputes where id = '${DISPUTE}';`

export const DISPUTE_FAULTS: readonly Fault[] = [
  ...[CHARGE.liveOpen, CHARGE.liveFailed, 'txn_nobody'].map((charge) =>
    plant(
      'LI6',
      `a dispute about ${charge}`,
      `update disputes set ${ofCharge(charge)} where id = '${DISPUTE}'`,
    ),
  ),
  plant(
    'LI6',
    'a dispute of another merchant',
    `update disputes set merchant_id = 2 where id = '${DISPUTE}'`,
  ),
  plant('LI6', 'a dispute of the other mode', `update disputes set mode = 'test' where id = '${DISPUTE}'`),
  plant(
    'LI6',
    'another time to answer',
    `update disputes set respond_by = respond_by + interval '1 second' where id = '${DISPUTE}'`,
  ),
  plant(
    'LI6',
    'a dispute closed before it was opened',
    `update disputes set closed_at = opened_at - interval '1 second' where id = '${DISPUTE}'`,
  ),
  {
    id: 'LI6',
    fault: 'two open disputes of one charge',
    sql: `${named(open)} ${another(open)}`,
    names: open,
  },
  plant(
    'LI6',
    'a dispute that moved money',
    addTransfer(`1, 'live', 99, 'correction', '${DISPUTE}', 'available', 'corrections', 1`),
  ),
  plant('E2', 'a dispute that nobody was told of', `delete from events where ${about(DISPUTE)}`),
  plant(
    'E2',
    'a dispute told twice',
    `insert into events (merchant_id, id, mode, type, subject, body, created_at)
       select merchant_id, 'evt_1', mode, type, subject, body, created_at from events where ${about(DISPUTE)}`,
  ),
  plant('E2', 'an event without its dispute', `delete from disputes where id = '${DISPUTE}'`),
  ...[
    `created_at = created_at + interval '1 ms'`,
    'merchant_id = 2',
    `mode = 'test'`,
    `type = 'test.ping'`,
  ].map((change) =>
    plant('E2', `an event with ${change}`, `update events set ${change} where ${about(DISPUTE)}`),
  ),
  ...[
    `${ofCharge(closed)}`,
    `reason = 'other'`,
    'details = null',
    `contact = contact || ' '`,
    `opened_at = opened_at - interval '1 ms'`,
    `respond_by = respond_by + interval '1 ms'`,
  ].map((change) =>
    plant('E2', `a dispute changed to ${change}`, `update disputes set ${change} where id = '${DISPUTE}'`),
  ),
]
