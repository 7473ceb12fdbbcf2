import { addTransfer, CARD, CARDED, type Fault, of } from '../names.ts'

const { paid, failed, open, voided, refunded, covered, restored } = CARDED
const useOf = (charge: string) => `charge_id = '${charge}'`
const setUse = (charge: string, change: string) =>
  `update gift_card_uses set ${change} where ${useOf(charge)}`
const setCard = (card: string, change: string) => `update gift_cards set ${change} where ${of(card)}`
const setCharge = (charge: string, change: string) => `update charges set ${change} where ${of(charge)}`
const LATER = `created_at + interval '1 ms'`

const SUMS: readonly Fault[] = [
  ...['value', 'balance', 'reserved', 'spent'].map((column) => ({
    id: 'G1',
    fault: `a card that shows another ${column}`,
    sql: setCard(CARD.used, `${column} = ${column} + 1`),
    names: CARD.used,
  })),
  ...['reserved', 'spent'].map((column) => ({
    id: 'G1',
    fault: `a card that has ${column} what nobody used`,
    sql: setCard(CARD.waiting, `${column} = 1, balance = balance - 1`),
    names: CARD.waiting,
  })),
  {
    id: 'G1',
    fault: 'an overspent card',
    sql: `${setCard(CARD.spent, 'balance = balance - 1, spent = spent + 1')}; ${setUse(covered, 'amount = amount + 1')}`,
    names: CARD.spent,
  },
  {
    id: 'G1',
    fault: 'a card spent twice for one payment',
    sql: setCard(CARD.used, 'balance = balance - 4000, spent = spent + 4000'),
    names: CARD.used,
  },
  {
    id: 'G1',
    fault: 'a reservation that was taken without leaving the reserved',
    sql: setUse(open, `state = 'taken', ended_at = created_at`),
    names: CARD.used,
  },
  {
    id: 'G1',
    fault: 'uses of a card that is not there',
    sql: `delete from gift_cards where ${of(CARD.used)}`,
    names: CARD.used,
  },
]

const USES: readonly Fault[] = [
  ...[paid, open, covered].map((charge) => ({
    id: 'LI4',
    fault: `${charge} without its use`,
    sql: `delete from gift_card_uses where ${useOf(charge)}`,
    names: charge,
  })),
  {
    id: 'LI4',
    fault: 'a use of a charge that says nothing of it',
    sql: setCharge(paid, 'gift_card_amount = 0'),
    names: paid,
  },
  {
    id: 'LI4',
    fault: 'a use of another amount',
    sql: setUse(paid, 'amount = amount + 1'),
    names: paid,
  },
  { id: 'LI4', fault: 'a card in test mode', sql: setCharge(paid, `mode = 'test'`), names: paid },
  {
    id: 'LI4',
    fault: 'a use of another merchant',
    sql: setUse(paid, 'merchant_id = 2'),
    names: paid,
  },
  {
    id: 'LI4',
    fault: 'a use that was stored at another moment',
    sql: setUse(open, `created_at = ${LATER}`),
    names: open,
  },
  {
    id: 'LI4',
    fault: 'a use of a charge that is not there',
    sql: `delete from charges where ${of(open)}`,
    names: open,
  },
]

// What each use may not be; the first is what it would be if the end of its charge had forgotten it.
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
  ...[paid, failed, voided, refunded, covered].map((charge) => ({
    id: 'LI5',
    fault: `the card of ${charge} ended at another moment`,
    sql: setUse(charge, `ended_at = ended_at + interval '1 ms'`),
    names: charge,
  })),
  {
    id: 'LI5',
    fault: 'a charge that a card covers whole, refunded without giving the card anything back',
    sql: setCharge(covered, `status = 'refunded', refunded_at = completed_at`),
    names: covered,
  },
  {
    id: 'LI5',
    fault: 'a card that has it all back of a charge that was not refunded',
    sql: setCharge(restored, `status = 'succeeded', refunded_at = null`),
    names: restored,
  },
  {
    id: 'LI5',
    fault: 'a reservation without a charge',
    sql: `delete from charges where ${of(open)}`,
    names: open,
  },
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
  {
    id: 'C1',
    fault: 'card money credited to the ledger',
    sql: addTransfer(`1, 'live', 99, 'charge_net', '${covered}', 'rail:op1_momo', 'pending', 10000`),
    names: covered,
  },
  {
    id: 'C2',
    fault: 'the part of a card credited to the ledger',
    sql: `update transfers set amount = amount + 4000 where subject = '${paid}' and kind = 'charge_net'`,
    names: paid,
  },
  {
    id: 'P4',
    fault: 'a rail asked for what a card covers whole',
    sql: `update rail_attempts set subject = '${covered}' where subject = '${paid}'`,
    names: covered,
  },
  {
    id: 'R1',
    fault: 'the part of a card refunded in money',
    sql: `update payouts set amount = amount + 4000 where ${useOf(refunded)}`,
    names: refunded,
  },
]

export const GIFT_CARD_FAULTS: readonly Fault[] = [...SUMS, ...USES, ...STATES, ...WHOLE]
