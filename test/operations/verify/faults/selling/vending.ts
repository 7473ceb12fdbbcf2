import { CALLBACK, CHARGE, DIRECT, DIRECTLY, type Fault, LINKED, ORDER, of, orderedBy } from '../../names.ts'
import { change, charges, claims, copy, events, links, orders, type Planted, plant, remove } from '../../planting.ts'

const { delivered, jammed, again, lost, contradicted, believed, off, claimed, refunded, unpaid, takenBack } = ORDER
const claimsOf = (order: string) => ({ table: 'dispense_claims', where: `order_id = '${order}'` })
const commandOf = (order: string, attempt: number) => ({
  table: 'dispense_claims',
  where: `order_id = '${order}' and attempt = ${attempt}`,
})
const told = events(DIRECT.delivered)
const CALLBACKS = { table: 'vendor_callbacks', where: 'true' }
/** The name of the test ends with the offender, because several of these faults have the same description. */
const all = (id: string, faults: readonly Planted[]): Fault[] =>
  plant(
    id,
    faults.map(([names, fault, sql]) => [names, `${fault} (${names})`, sql]),
  )
const set = (order: string, what: string) => change(orders(order), what)
const setClaim = (order: string, what: string) => change(claimsOf(order), what)
const claimOf = (order: string, as: string) =>
  `${change(commandOf(order, 1), `id = 'dclm_named'`)}; ${change(claims('dclm_named'), as)}`

export const VENDING_FAULTS: readonly Fault[] = [
  ...all('V1', [
    [orderedBy(delivered), 'two dispenses of one charge', copy(claimsOf(delivered), { id: 'dclm_two', attempt: 2 })],
    [
      DIRECTLY.open,
      'a direct dispense on the charge of another',
      change(claims(DIRECT.delivered), `charge_id = '${DIRECTLY.open}'`),
    ],
    [orderedBy(again), 'a released claim taken up beside the next', setClaim(again, 'released_at = null')],
    [delivered, 'dispensed without a claim', remove(claimsOf(delivered))],
    [delivered, 'confirmed and never delivered', setClaim(delivered, `state = 'accepted'`)],
    [believed, 'believed by a refused claim', setClaim(believed, `state = 'released'`)],
    [lost, 'under way with a claim that was released', setClaim(lost, `state = 'released'`)],
    [lost, 'under way though delivered', setClaim(lost, `state = 'delivered'`)],
    [jammed, 'failed with a claim that stands', setClaim(jammed, `state = 'accepted'`)],
    [unpaid, 'a claim of an order that waits', setClaim(jammed, `order_id = '${unpaid}'`)],
    [
      DIRECT.delivered,
      'a direct dispense freed though dispensed',
      change(claims(DIRECT.delivered), `state = 'released'`),
    ],
    [
      DIRECT.open,
      'a direct dispense delivered and still under way',
      change(claims(DIRECT.open), `state = 'delivered'`),
    ],
    [
      DIRECT.open,
      'a direct dispense failed whose claim stands',
      change(claims(DIRECT.open), `vending_status = 'failed'`),
    ],
  ]),
  ...all('V2', [
    [again, 'a command that was not counted', set(again, 'attempts = 1')],
    [delivered, 'a command counted that was never claimed', set(delivered, 'attempts = 2')],
    [again, 'a number left out', change(commandOf(again, 2), 'attempt = 3')],
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
    [unpaid, 'a link of an order that has none', remove(orders(unpaid))],
    [unpaid, 'an order whose link is a plain one', change(links(unpaid), `kind = 'link'`)],
    [unpaid, 'an order without a link', remove(links(unpaid))],
    [unpaid, 'an order in the other mode', set(unpaid, `mode = 'live'`)],
    [unpaid, "another merchant's order", set(unpaid, 'merchant_id = 2')],
    [unpaid, 'an order that is paid by many', change(links(unpaid), 'allow_multiple_uses = true')],
    [unpaid, 'an order that never ends', change(links(unpaid), 'expires_at = null')],
    [unpaid, 'an order younger than its link', set(unpaid, `created_at = created_at + interval '1 ms'`)],
  ]),
  ...all('VE3', [
    ['dclm_named', 'a dispense of a charge that is not there', claimOf(delivered, `charge_id = 'txn_nobody'`)],
    ['dclm_named', 'a dispense of a failed charge', claimOf(delivered, `charge_id = '${LINKED.failed}'`)],
    ['dclm_named', 'a dispense of an open charge', claimOf(delivered, `charge_id = '${CHARGE.testOpen}'`)],
    ['dclm_named', "another merchant's dispense", claimOf(delivered, 'merchant_id = 2')],
    ['dclm_named', 'a dispense in the other mode', claimOf(delivered, `mode = 'live'`)],
    ['dclm_named', "a dispense of another order's charge", claimOf(delivered, `charge_id = '${orderedBy(jammed)}'`)],
    ['dclm_named', 'a dispense of a charge of no order', claimOf(delivered, `charge_id = '${CHARGE.testPaid}'`)],
    [
      DIRECT.open,
      "a direct dispense of an order's charge",
      change(claims(DIRECT.open), `charge_id = '${orderedBy(lost)}'`),
    ],
    ['dclm_named', 'commanded after the refund', claimOf(refunded, `commanded_at = commanded_at + interval '1 hour'`)],
  ]),
  ...all('VE4', [['dclm_named', 'under way for ever', claimOf(claimed, `lease_until = '2026-03-10T08:54:59Z'`)]]),
  ...all('VE12', [
    ['dclm_named', 'a claim without a lease', claimOf(claimed, 'lease_until = null')],
    ['dclm_named', 'a lease of what has ended', claimOf(delivered, `lease_until = '2026-03-10T09:00:00Z'`)],
    ['dclm_named', 'accepted and never sent', claimOf(again, `state = 'accepted', commanded_at = null`)],
  ]),
  ...all('VE5', [
    [CALLBACK, 'a sign that serves twice', copy(CALLBACKS, { id: 'vcb_zzzzz', order_id: jammed })],
    [CALLBACK, 'a report of no order', change(CALLBACKS, `order_id = 'lnk_nobody'`)],
    [CALLBACK, 'a report of an order never commanded', setClaim(delivered, 'commanded_at = null')],
    [CALLBACK, "a report of another merchant's order", change(CALLBACKS, 'merchant_id = 2')],
  ]),
  ...all('VE7', [
    [delivered, 'taken back though paid', change(links(delivered), 'invalidated_at = created_at')],
    [takenBack, 'paid though taken back', change(charges(LINKED.paid), `payment_link_id = '${takenBack}'`)],
    [
      delivered,
      'begun to be paid after its time',
      change(links(delivered), `expires_at = (select created_at from charges where ${of(orderedBy(delivered))})`),
    ],
  ]),
  ...all('VE8', [
    [jammed, 'a refund due though dispensed', set(jammed, `vending_status = 'dispensed'`)],
    [jammed, 'a refund due though no machine said so', set(jammed, 'confirmed = false')],
    [jammed, 'a refund due though none was told', set(jammed, 'attempts = 0')],
    [jammed, 'a refund due for ever', set(jammed, 'refund_until = null')],
    [jammed, 'a refund due after its end', set(jammed, `refund_due_at = refund_until + interval '61 minutes'`)],
  ]),
  ...all('VE10', [
    [off, 'a paid order that nobody looks for', set(off, `vending_status = 'pending', watched = false`)],
    [
      off,
      'a paid order whose link holds no payment',
      `${set(off, `vending_status = 'pending', watched = true`)}; ${change(links(off), 'charge_id = null')}`,
    ],
  ]),
  ...all('VE11', [
    [jammed, 'a jam that is neither refunded nor due, for no reason', set(jammed, 'refund_due_at = null')],
    [jammed, 'a refund wanted while its machine is told again', set(jammed, `vending_status = 'dispensing'`)],
    [delivered, 'a refund wanted of what came out', set(delivered, 'refund_wanted = true')],
    [
      refunded,
      'a jam that was to be refunded and is not',
      `${set(refunded, 'refund_wanted = true')}; ${change(charges(orderedBy(refunded)), `status = 'succeeded'`)}`,
    ],
  ]),
  ...all('EV1', [
    [delivered, 'a dispense untold', remove(events(delivered))],
    [delivered, 'told of another moment', change(events(delivered), `created_at = created_at + interval '1 ms'`)],
    [delivered, 'told as failed', change(events(delivered), `type = 'vending.dispense_failed'`)],
    [delivered, 'told under another number', change(events(delivered), 'occurrence = 2')],
    [delivered, 'told twice', copy(events(delivered), { id: 'evt_again' })],
    [delivered, 'told again without a contradiction', copy(events(delivered), { id: 'evt_again', occurrence: -1 })],
    [contradicted, 'a contradiction untold', `${remove(events(contradicted))} and type = 'vending.dispense_failed'`],
    [off, 'switched off and untold', remove(events(off))],
    [jammed, 'a jam untold', remove(events(jammed))],
    [
      'dclm_named',
      'the end of an earlier command untold',
      `${claimOf(again, 'attempt = 1')}; ${remove(events(again))}`,
    ],
    [unpaid, 'an event of an order that waits', change(events(delivered), `subject = '${unpaid}'`)],
    [delivered, 'told in the other mode', change(events(delivered), `mode = 'live'`)],
    [delivered, 'told to another merchant', change(events(delivered), 'merchant_id = 2')],
    [jammed, 'failed twice by one command', change(events(jammed), 'occurrence = -1')],
  ]),
  ...all('EV6', [
    [DIRECT.delivered, 'a direct dispense untold', remove(told)],
    [DIRECT.delivered, 'a direct dispense told twice', copy(told, { id: 'evt_again', occurrence: 1 })],
    [DIRECT.open, 'an end of a direct dispense under way', change(told, `subject = '${DIRECT.open}'`)],
    ['dclm_nobody', 'an event of no dispense', change(told, `subject = 'dclm_nobody'`)],
    [DIRECT.delivered, 'a direct dispense told in the other mode', change(told, `mode = 'live'`)],
    [DIRECT.delivered, 'a direct dispense told as failed', change(told, `type = 'vending.dispense_failed'`)],
    [DIRECT.delivered, 'told though never commanded', change(claims(DIRECT.delivered), 'commanded_at = null')],
  ]),
]
