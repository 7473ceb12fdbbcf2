import { CHARGE, LIVE_1, TEST_1 } from '../names.ts'
import { AT, type BrokenStatement, delivery, event, fee, head, headBy, move, net, posting } from './success.ts'

export const CREDITING: readonly BrokenStatement[] = [
  {
    statement: 'the same charge credited twice',
    sql: move + head + net + fee + head + net,
    refusedBy: 'happens_once',
  },
  {
    statement: 'the same charge credited again in the other mode',
    sql: move + head + net + fee + posting({ mode: 'test', back: -1 }),
    refusedBy: 'happens_once',
  },
  {
    statement: 'a credit without compare-and-set',
    sql: head + net + fee + event + delivery,
    caughtBy: ['C1', 'C5', 'E1'],
  },
  { statement: 'a status moved without money or event', sql: move, caughtBy: ['C1', 'C5', 'E1'] },
  {
    statement: 'a credit in the wrong mode',
    sql:
      move +
      headBy(8800, TEST_1) +
      posting({ mode: 'test' }) +
      posting({ mode: 'test', kind: 'charge_fee', amount: 200, back: 0 }) +
      event +
      delivery,
    caughtBy: ['C1', 'C5'],
  },
  {
    statement: 'a net credited without taking the fee off',
    sql: move + headBy(9000) + posting({ amount: 9000 }) + fee + event + delivery,
    caughtBy: ['C2', 'C5'],
  },
  {
    statement: 'a fee forgotten',
    sql: `${move}update ledger_heads set pending = pending + 8800, seq = seq + 1 where ${LIVE_1};${posting({ back: 0 })}${event}${delivery}`,
    caughtBy: ['C1'],
  },
  {
    statement: 'a credit from the mirror of another channel',
    sql: move + head + posting({ from: 'rail:card' }) + fee + event + delivery,
    caughtBy: ['C2'],
  },
  {
    statement: 'a failed charge credited',
    sql: `update ledger_heads set available = available + 5, seq = seq + 1 where ${LIVE_1};
      insert into transfers select 1, 'live', seq, 'charge_net', '${CHARGE.liveFailed}', 'rail:op1_momo', 'available', 5, ${AT} from ledger_heads where ${LIVE_1}`,
    caughtBy: ['C1', 'C2', 'C6', 'SE1'],
  },
]
