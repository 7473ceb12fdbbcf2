import { addTransfer, CARD, CARDED, type Fault, of } from '../../names.ts'
import { charges, each, giftCards, plant, remove } from '../../planting.ts'

const { paid, failed, open, voided, refunded, covered, restored } = CARDED
const useOf = (charge: string) => `charge_id = '${charge}'`
const setUse = (charge: string, change: string) => `update gift_card_uses set ${change} where ${useOf(charge)}`
const setCard = (card: string, change: string) => `update gift_cards set ${change} where ${of(card)}`
const setCharge = (charge: string, change: string) => `update charges set ${change} where ${of(charge)}`
const LATER = `created_at + interval '1 ms'`

const SUMS: readonly Fault[] = [
  ...plant('G1', [
    ...each(['value', 'balance', 'reserved', 'spent'], (column) => [
      CARD.used,
      `a card that shows another ${column}`,
      setCard(CARD.used, `${column} = ${column} + 1`),
    ]),
    ...each(['reserved', 'spent'], (column) => [
      CARD.waiting,
      `a card that has ${column} what nobody used`,
      setCard(CARD.waiting, `${column} = 1, balance = balance - 1`),
    ]),
    [
      CARD.spent,
      'an overspent card',
      `${setCard(CARD.spent, 'balance = balance - 1, spent = spent + 1')}; ${setUse(covered, 'amount = amount + 1')}`,
    ],
    [
      CARD.used,
      'a card spent twice for one payment',
      setCard(CARD.used, 'balance = balance - 4000, spent = spent + 4000'),
    ],
    [
      CARD.used,
      'a reservation that was taken without leaving the reserved',
      setUse(open, `state = 'taken', ended_at = created_at`),
    ],
    [CARD.used, 'uses of a card that is not there', remove(giftCards(CARD.used))],
  ]),
]

const USES: readonly Fault[] = [
  ...plant('LI4', [
    ...each([paid, open, covered], (charge) => [
      charge,
      `${charge} without its use`,
      `delete from gift_card_uses where ${useOf(charge)}`,
    ]),
    [paid, 'a use of a charge that says nothing of it', setCharge(paid, 'gift_card_amount = 0')],
    [paid, 'a use of another amount', setUse(paid, 'amount = amount + 1')],
    [paid, 'a card in test mode', setCharge(paid, `mode = 'test'`)],
    [paid, 'a use of another merchant', setUse(paid, 'merchant_id = 2')],
    [open, 'a use that was stored at another moment', setUse(open, `created_at = ${LATER}`)],
    [open, 'a use of a charge that is not there', remove(charges(open))],
  ]),
]

// The wrong states of each use. The first one is what it would be if the end of its charge had not changed the card.
const WRONG_STATES = {
  [paid]: ['reserved', 'freed', 'restored'],
  [failed]: ['reserved', 'taken'],
  [open]: ['taken', 'freed'],
  [voided]: ['reserved', 'taken'],
  [refunded]: ['taken', 'freed'],
  [covered]: ['reserved', 'restored'],
  [restored]: ['taken', 'freed'],
}
const STATES: readonly Fault[] = [
  ...Object.entries(WRONG_STATES).flatMap(([charge, states]) =>
    states.map((state) => ({
      id: 'LI5',
      fault: `${charge} whose card is ${state}`,
      sql: setUse(charge, `state = '${state}'`),
      names: charge,
    })),
  ),
  ...plant('LI5', [
    ...each([paid, failed, voided, refunded, covered], (charge) => [
      charge,
      `the card of ${charge} ended at another moment`,
      setUse(charge, `ended_at = ended_at + interval '1 ms'`),
    ]),
    [
      covered,
      'a charge that a card covers whole, refunded without giving the card anything back',
      setCharge(covered, `status = 'refunded', refunded_at = completed_at`),
    ],
    [
      restored,
      'a card that has it all back of a charge that was not refunded',
      setCharge(restored, `status = 'succeeded', refunded_at = null`),
    ],
    [open, 'a reservation without a charge', remove(charges(open))],
  ]),
]

const WHOLE: readonly Fault[] = [
  ...[
    ['open', `status = 'pending', completed_at = null`],
    ['failed', `status = 'failed'`],
    ['paid later', `completed_at = ${LATER}`],
    ['held', `hold_until = ${LATER}`],
    ['not settled', 'settled_at = null'],
    ['settled by a record', `settlement_id = 'setl_1'`],
    ['charged for', 'fee = 200'],
    ['asked for on a rail', `rail_reference = 'x'`],
    ['shared out', 'shares = 0'],
  ].map(([said, change]) => ({
    id: 'G2',
    fault: `a charge that a card covers whole, ${said}`,
    sql: setCharge(covered, change as string),
    names: covered,
  })),
  ...plant('C1', [
    [
      covered,
      'card money credited to the ledger',
      addTransfer(`1, 'live', 99, 'charge_net', '${covered}', 'rail:op1_momo', 'pending', 10000`),
    ],
  ]),
  ...plant('C2', [
    [
      paid,
      'the part of a card credited to the ledger',
      `update transfers set amount = amount + 4000 where subject = '${paid}' and kind = 'charge_net'`,
    ],
  ]),
  ...plant('P4', [
    [
      covered,
      'a rail asked for what a card covers whole',
      `update rail_attempts set subject = '${covered}' where subject = '${paid}'`,
    ],
  ]),
  ...plant('R1', [
    [
      refunded,
      'the part of a card refunded in money',
      `update payouts set amount = amount + 4000 where ${useOf(refunded)}`,
    ],
  ]),
]

export const GIFT_CARD_FAULTS: readonly Fault[] = [...SUMS, ...USES, ...STATES, ...WHOLE]
