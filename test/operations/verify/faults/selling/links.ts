import { type Fault, LINK, LINKED } from '../../names.ts'
import { change, charges, each, links, plant } from '../../planting.ts'

const { paid } = LINK

export const LINK_FAULTS: readonly Fault[] = [
  ...plant('LI1', [
    [paid, 'nobody holds it', change(links(paid), 'charge_id = null')],
    [paid, 'a stranger holds it', change(links(paid), `charge_id = 'txn_nobody'`)],
    [paid, 'paid twice', change(charges(LINKED.first), `payment_link_id = '${paid}', pays_once = true`)],
    [
      LINK.retried,
      'a failed attempt holds it beside an open one',
      change(links(LINK.retried), `charge_id = '${LINKED.failed}'`),
    ],
    [LINK.reusable, 'a reusable link is held', change(links(LINK.reusable), `charge_id = '${LINKED.first}'`)],
  ]),
  ...plant(
    'LI3',
    each(
      [
        ['another mode', change(links(paid), `mode = 'live'`)],
        ['another price', change(links(paid), 'amount = 9000')],
        ['another reference', change(links(paid), `reference = 'stall 5'`)],
        ['no link at all', change(charges(LINKED.paid), `payment_link_id = 'lnk_nobody'`)],
        ['pays more than once', change(charges(LINKED.paid), 'pays_once = false')],
        ['pays once without a link', change(charges(LINKED.paid), 'payment_link_id = null')],
        ['older than its link', change(links(paid), `created_at = created_at + interval '1 minute'`)],
      ] as const,
      ([fault, sql]) => [LINKED.paid, fault, sql],
    ),
  ),
]
