import { CALLBACK, CHARGE, DIRECT, DIRECTLY, type Fault, LINKED, ORDER, of, orderedBy } from '../names.ts'

const { delivered, jammed, again, lost, contradicted, believed, off, claimed, refunded, unpaid, takenBack } =
  ORDER
const ofOrder = (id: string) => `order_id = '${id}'`
const about = (id: string) => `subject = '${id}'`
type Planted = readonly [names: string, fault: string, sql: string]
const all = (id: string, faults: readonly Planted[]): Fault[] =>
  faults.map(([names, fault, sql]) => ({ id, names, fault: `${fault} (${names})`, sql }))
const set = (order: string, what: string) => `update vending_orders set ${what} where ${of(order)}`
const setClaim = (order: string, what: string) => `update dispense_claims set ${what} where ${ofOrder(order)}`
const claimOf = (order: string, as: string, id = 'dclm_named') =>
  `update dispense_claims set id = '${id}' where ${ofOrder(order)} and attempt = 1; update dispense_claims set ${as} where id = '${id}'`

export const VENDING_FAULTS: readonly Fault[] = [
  ...all('V1', [
    [
      orderedBy(delivered),
      'two dispenses of one charge',
      `insert into dispense_claims select merchant_id, 'dclm_two', mode, charge_id, kind, order_id, machine, goods, pay_account, 2, state,
         lease_until, claimed_at from dispense_claims where ${ofOrder(delivered)}`,
    ],
    [
      DIRECTLY.open,
      'a direct dispense on the charge of another',
      `update dispense_claims set charge_id = '${DIRECTLY.open}' where ${of(DIRECT.delivered)}`,
    ],
    [orderedBy(again), 'a released claim taken up beside the next', setClaim(again, 'released_at = null')],
    [delivered, 'dispensed without a claim', `delete from dispense_claims where ${ofOrder(delivered)}`],
    [delivered, 'confirmed and never delivered', setClaim(delivered, `state = 'accepted'`)],
    [believed, 'believed by a refused claim', setClaim(believed, `state = 'released'`)],
    [lost, 'under way with a claim that was released', setClaim(lost, `state = 'released'`)],
    [lost, 'under way though delivered', setClaim(lost, `state = 'delivered'`)],
    [jammed, 'failed with a claim that stands', setClaim(jammed, `state = 'accepted'`)],
    [unpaid, 'a claim of an order that waits', setClaim(jammed, `order_id = '${unpaid}'`)],
    [
      DIRECT.delivered,
      'a direct dispense freed though dispensed',
      `update dispense_claims set state = 'released' where ${of(DIRECT.delivered)}`,
    ],
    [
      DIRECT.open,
      'a direct dispense delivered and still under way',
      `update dispense_claims set state = 'delivered' where ${of(DIRECT.open)}`,
    ],
    [
      DIRECT.open,
      'a direct dispense failed whose claim stands',
      `update dispense_claims set vending_status = 'failed' where ${of(DIRECT.open)}`,
    ],
  ]),
  ...all('V2', [
    [again, 'a command that was not counted', set(again, 'attempts = 1')],
    [delivered, 'a command counted that was never claimed', set(delivered, 'attempts = 2')],
    [
      again,
      'a number left out',
      `update dispense_claims set attempt = 3 where ${ofOrder(again)} and attempt = 2`,
    ],
    ['lnk_nobody', 'a claim of no order', setClaim(delivered, `order_id = 'lnk_nobody'`)],
    [delivered, 'another machine told', setClaim(delivered, `machine = 'M-2'`)],
    [delivered, 'other goods', setClaim(delivered, `goods = '[{"spbh":"2"}]'`)],
    [delivered, 'another payer', setClaim(delivered, `pay_account = 'somebody'`)],
    [delivered, 'a command of the other mode', setClaim(delivered, `mode = 'live'`)],
    [delivered, 'dispensed at no time', set(delivered, 'dispensed_at = null')],
    [jammed, 'failed and dispensed once', set(jammed, 'dispensed_at = created_at')],
    [jammed, 'failed for no reason', set(jammed, 'vending_error = null')],
    [lost, 'confirmed while it is under way', set(lost, 'confirmed = true')],
    [lost, 'under way and still waited for', set(lost, 'watched = true')],
    [delivered, 'miscounted', set(delivered, 'units_dispensed = 2')],
    [delivered, 'counted without a report', set(delivered, 'dispense_result = null')],
  ]),
  ...all('V3', [
    [unpaid, 'a link of an order that has none', `delete from vending_orders where ${of(unpaid)}`],
    [
      unpaid,
      'an order whose link is a plain one',
      `update payment_links set kind = 'link' where ${of(unpaid)}`,
    ],
    [unpaid, 'an order without a link', `delete from payment_links where ${of(unpaid)}`],
    [unpaid, 'an order in the other mode', set(unpaid, `mode = 'live'`)],
    [unpaid, "another merchant's order", set(unpaid, 'merchant_id = 2')],
    [
      unpaid,
      'an order that is paid by many',
      `update payment_links set allow_multiple_uses = true where ${of(unpaid)}`,
    ],
    [unpaid, 'an order that never ends', `update payment_links set expires_at = null where ${of(unpaid)}`],
    [unpaid, 'an order younger than its link', set(unpaid, `created_at = created_at + interval '1 ms'`)],
  ]),
  ...all('VE3', [
    [
      'dclm_named',
      'a dispense of a charge that is not there',
      claimOf(delivered, `charge_id = 'txn_nobody'`),
    ],
    ['dclm_named', 'a dispense of a failed charge', claimOf(delivered, `charge_id = '${LINKED.failed}'`)],
    ['dclm_named', 'a dispense of an open charge', claimOf(delivered, `charge_id = '${CHARGE.testOpen}'`)],
    ['dclm_named', "another merchant's dispense", claimOf(delivered, 'merchant_id = 2')],
    ['dclm_named', 'a dispense in the other mode', claimOf(delivered, `mode = 'live'`)],
    [
      'dclm_named',
      "a dispense of another order's charge",
      claimOf(delivered, `charge_id = '${orderedBy(jammed)}'`),
    ],
    [
      'dclm_named',
      'a dispense of a charge of no order',
      claimOf(delivered, `charge_id = '${CHARGE.testPaid}'`),
    ],
    [
      DIRECT.open,
      "a direct dispense of an order's charge",
      `update dispense_claims set charge_id = '${orderedBy(lost)}' where ${of(DIRECT.open)}`,
    ],
    [
      'dclm_named',
      'commanded after the refund',
      claimOf(refunded, `commanded_at = commanded_at + interval '1 hour'`),
    ],
  ]),
  ...all('VE4', [
    ['dclm_named', 'a claim without a lease', claimOf(claimed, 'lease_until = null')],
    ['dclm_named', 'a lease of what has ended', claimOf(delivered, `lease_until = '2026-03-10T09:00:00Z'`)],
    ['dclm_named', 'under way for ever', claimOf(claimed, `lease_until = '2026-03-10T08:54:59Z'`)],
    ['dclm_named', 'accepted and never sent', claimOf(again, `state = 'accepted', commanded_at = null`)],
  ]),
  ...all('VE5', [
    [
      CALLBACK,
      'a sign that serves twice',
      `insert into vendor_callbacks select merchant_id, 'vcb_zzzzz', '${jammed}', charge_id, machine, sign, outcome, body, received_at from vendor_callbacks`,
    ],
    [CALLBACK, 'a report of no order', `update vendor_callbacks set order_id = 'lnk_nobody'`],
    [CALLBACK, 'a report of an order never commanded', setClaim(delivered, 'commanded_at = null')],
    [CALLBACK, "a report of another merchant's order", 'update vendor_callbacks set merchant_id = 2'],
  ]),
  ...all('VE7', [
    [
      delivered,
      'taken back though paid',
      `update payment_links set invalidated_at = created_at where ${of(delivered)}`,
    ],
    [
      takenBack,
      'paid though taken back',
      `update charges set payment_link_id = '${takenBack}' where ${of(LINKED.paid)}`,
    ],
    [
      delivered,
      'begun to be paid after its time',
      `update payment_links set expires_at = (select created_at from charges where ${of(orderedBy(delivered))}) where ${of(delivered)}`,
    ],
  ]),
  ...all('VE8', [
    [jammed, 'a refund due though dispensed', set(jammed, `vending_status = 'dispensed'`)],
    [jammed, 'a refund due though no machine said so', set(jammed, 'confirmed = false')],
    [jammed, 'a refund due though none was told', set(jammed, 'attempts = 0')],
    [jammed, 'a refund due for ever', set(jammed, 'refund_until = null')],
    [
      jammed,
      'a refund due after its end',
      set(jammed, `refund_due_at = refund_until + interval '61 minutes'`),
    ],
  ]),
  ...all('VE10', [
    [off, 'a paid order that nobody looks for', set(off, `vending_status = 'pending', watched = false`)],
    [
      off,
      'a paid order whose link holds no payment',
      `${set(off, `vending_status = 'pending', watched = true`)}; update payment_links set charge_id = null where ${of(off)}`,
    ],
  ]),
  ...all('VE11', [
    [jammed, 'a jam that is neither refunded nor due, for no reason', set(jammed, 'refund_due_at = null')],
    [jammed, 'a refund wanted while its machine is told again', set(jammed, `vending_status = 'dispensing'`)],
    [delivered, 'a refund wanted of what came out', set(delivered, 'refund_wanted = true')],
    [
      refunded,
      'a jam that was to be refunded and is not',
      `${set(refunded, 'refund_wanted = true')}; update charges set status = 'succeeded' where ${of(orderedBy(refunded))}`,
    ],
  ]),
  ...all('EV1', [
    [delivered, 'a dispense untold', `delete from events where ${about(delivered)}`],
    [
      delivered,
      'told of another moment',
      `update events set created_at = created_at + interval '1 ms' where ${about(delivered)}`,
    ],
    [
      delivered,
      'told as failed',
      `update events set type = 'vending.dispense_failed' where ${about(delivered)}`,
    ],
    [delivered, 'told under another number', `update events set occurrence = 2 where ${about(delivered)}`],
    [
      delivered,
      'told twice',
      `insert into events select merchant_id, 'evt_again', mode, type, subject, occurrence, body, created_at from events where ${about(delivered)}`,
    ],
    [
      delivered,
      'told again without a contradiction',
      `insert into events select merchant_id, 'evt_again', mode, type, subject, -1, body, created_at from events where ${about(delivered)}`,
    ],
    [
      contradicted,
      'a contradiction untold',
      `delete from events where ${about(contradicted)} and type = 'vending.dispense_failed'`,
    ],
    [off, 'switched off and untold', `delete from events where ${about(off)}`],
    [jammed, 'a jam untold', `delete from events where ${about(jammed)}`],
    [
      'dclm_named',
      'the end of an earlier command untold',
      `${claimOf(again, 'attempt = 1')}; delete from events where ${about(again)}`,
    ],
    [
      unpaid,
      'an event of an order that waits',
      `update events set subject = '${unpaid}' where ${about(delivered)}`,
    ],
    [delivered, 'told in the other mode', `update events set mode = 'live' where ${about(delivered)}`],
    [delivered, 'told to another merchant', `update events set merchant_id = 2 where ${about(delivered)}`],
    [jammed, 'failed twice by one command', `update events set occurrence = -1 where ${about(jammed)}`],
  ]),
  ...all('EV6', [
    [DIRECT.delivered, 'a direct dispense untold', `delete from events where ${about(DIRECT.delivered)}`],
    [
      DIRECT.delivered,
      'a direct dispense told twice',
      `insert into events select merchant_id, 'evt_again', mode, type, subject, 1, body, created_at from events where ${about(DIRECT.delivered)}`,
    ],
    [
      DIRECT.open,
      'an end of a direct dispense under way',
      `update events set subject = '${DIRECT.open}' where ${about(DIRECT.delivered)}`,
    ],
    [
      'dclm_nobody',
      'an event of no dispense',
      `update events set subject = 'dclm_nobody' where ${about(DIRECT.delivered)}`,
    ],
    [
      DIRECT.delivered,
      'a direct dispense told in the other mode',
      `update events set mode = 'live' where ${about(DIRECT.delivered)}`,
    ],
    [
      DIRECT.delivered,
      'a direct dispense told as failed',
      `update events set type = 'vending.dispense_failed' where ${about(DIRECT.delivered)}`,
    ],
    [
      DIRECT.delivered,
      'told though never commanded',
      `update dispense_claims set commanded_at = null where ${of(DIRECT.delivered)}`,
    ],
  ]),
]
