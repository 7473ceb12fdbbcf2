import { type Fault, LINK, LINKED, of } from '../names.ts'

const ofLink = (id: string) => `id = '${id}'`
const plant = (id: 'LI1' | 'LI3', names: string, [fault, sql]: readonly [string, string]): Fault => ({
  id,
  fault,
  sql,
  names,
})

export const LINK_FAULTS: readonly Fault[] = [
  ...(
    [
      ['nobody holds it', `update payment_links set charge_id = null where ${ofLink(LINK.paid)}`],
      ['a stranger holds it', `update payment_links set charge_id = 'txn_nobody' where ${ofLink(LINK.paid)}`],
      [
        'paid twice',
        `update charges set payment_link_id = '${LINK.paid}', pays_once = true where ${of(LINKED.first)}`,
      ],
    ] as const
  ).map((fault) => plant('LI1', LINK.paid, fault)),
  plant('LI1', LINK.retried, [
    'a failed attempt holds it beside an open one',
    `update payment_links set charge_id = '${LINKED.failed}' where ${ofLink(LINK.retried)}`,
  ]),
  plant('LI1', LINK.reusable, [
    'a reusable link is held',
    `update payment_links set charge_id = '${LINKED.first}' where ${ofLink(LINK.reusable)}`,
  ]),
  ...(
    [
      ['another mode', `update payment_links set mode = 'live' where ${ofLink(LINK.paid)}`],
      ['another price', `update payment_links set amount = 9000 where ${ofLink(LINK.paid)}`],
      ['another reference', `update payment_links set reference = 'stall 5' where ${ofLink(LINK.paid)}`],
      ['no link at all', `update charges set payment_link_id = 'lnk_nobody' where ${of(LINKED.paid)}`],
      ['pays more than once', `update charges set pays_once = false where ${of(LINKED.paid)}`],
      ['pays once without a link', `update charges set payment_link_id = null where ${of(LINKED.paid)}`],
      [
        'older than its link',
        `update payment_links set created_at = created_at + interval '1 second' where ${ofLink(LINK.paid)}`,
      ],
    ] as const
  ).map((fault) => plant('LI3', LINKED.paid, fault)),
]
