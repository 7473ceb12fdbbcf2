import { CARD, CARDED } from '../names.ts'
import { AT, type BrokenStatement } from './success.ts'

const { paid, failed, open, refunded, covered } = CARDED
const setCard = (change: string) => `update gift_cards set ${change} where id = '${CARD.used}'`
const setUse = (charge: string, change: string) => `update gift_card_uses set ${change} where charge_id = '${charge}'`
const endOf = (charge: string, state: string) => setUse(charge, `state = '${state}', ended_at = ${AT}`)
const fails = `update charges set status = 'failed', failure_reason = 'timeout', completed_at = ${AT}, follow_at = null
  where id = '${open}';
  insert into rail_evidence (merchant_id, attempt_id, at, operation, answer, stage, elapsed_ms)
  select merchant_id, id, ${AT}, 'status', 'failed', 'answered', 5 from rail_attempts where subject = '${open}';
  insert into events (merchant_id, id, mode, type, subject, body, created_at)
  values (1, 'evt_1', 'live', 'charge.failed', '${open}', '', ${AT});
  insert into deliveries (merchant_id, event_id, mode, event, created_at) values (1, 'evt_1', 'live', 'charge.failed', ${AT});`

export const CARDS: readonly BrokenStatement[] = [
  ...(
    [
      ['a card overspent', 'balance = balance - 50001, reserved = reserved + 50001', 'gift_cards_balance_check'],
      [
        'a reservation freed twice',
        'balance = balance + 4001, reserved = reserved - 4001',
        'gift_cards_reserved_check',
      ],
      ['more restored than was spent', 'balance = balance + 4001, spent = spent - 4001', 'gift_cards_spent_check'],
      ['value made out of nothing', 'balance = balance + 1', 'value_is_kept'],
    ] as const
  ).map(([statement, change, refusedBy]) => ({ statement, sql: setCard(change), refusedBy })),
  {
    statement: 'a second card for one charge',
    sql: `insert into gift_card_uses (merchant_id, charge_id, card_id, amount, state, created_at)
      values (1, '${open}', '${CARD.waiting}', 1, 'reserved', ${AT})`,
    refusedBy: 'gift_card_uses_pkey',
  },
  {
    statement: 'an end without its time on a use',
    sql: setUse(open, `state = 'freed'`),
    refusedBy: 'reserved_is_open',
  },
  {
    statement: 'a card of another merchant',
    sql: `insert into gift_card_uses (merchant_id, charge_id, card_id, amount, state, created_at)
      values (2, 'txn_1', '${CARD.waiting}', 1, 'reserved', ${AT})`,
    refusedBy: 'gift_card_uses_merchant_id_card_id_fkey',
  },
  {
    statement: 'a rail asked for what a card covers whole',
    sql: `update charges set rail_reference = 'x' where id = '${covered}'`,
    refusedBy: 'covered_needs_no_rail',
  },
  { statement: 'a failure that keeps its reservation', sql: fails, caughtBy: ['LI5'] },
  {
    statement: 'a use taken without its card',
    sql: endOf(open, 'taken'),
    caughtBy: ['G1', 'LI5'],
  },
  {
    statement: 'a card taken for a payment that is still open',
    sql: `${endOf(open, 'taken')}; ${setCard('reserved = reserved - 4000, spent = spent + 4000')}`,
    caughtBy: ['LI5'],
  },
  {
    statement: 'a card restored without a refund',
    sql: `${endOf(paid, 'restored')}; ${setCard('spent = spent - 4000, balance = balance + 4000')}`,
    caughtBy: ['LI5'],
  },
]

const [freed, restored] = [failed, refunded]
/** Every change of state of a gift card's use that the trigger refuses. */
export const FORBIDDEN_USE_MOVES: readonly [charge: string, to: string][] = [
  [open, 'restored'],
  [paid, 'reserved'],
  [paid, 'freed'],
  [freed, 'reserved'],
  [freed, 'taken'],
  [freed, 'restored'],
  [restored, 'reserved'],
  [restored, 'taken'],
  [restored, 'freed'],
]
