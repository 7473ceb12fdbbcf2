import type { Fault } from '../names.ts'

const GUARDS = [
  ['charges', 'charges_move_forward'],
  ['payouts', 'payouts_move_forward'],
  ['schedules', 'schedules_move_forward'],
  ['gift_card_uses', 'card_uses_move_forward'],
  ['vending_orders', 'vending_moves_forward'],
  ['dispense_claims', 'claims_move_forward'],
  ['rail_attempts', 'attempts_born_sending'],
  ['rail_attempts', 'attempts_keep_installation'],
] as const

export const TRIGGER_FAULTS: readonly Fault[] = GUARDS.flatMap(([place, name]) => [
  {
    id: 'TR1',
    fault: `${name} switched off`,
    sql: `alter table ${place} disable trigger ${name}`,
    names: `${name} on ${place}`,
  },
  {
    id: 'TR1',
    fault: `${name} only on a replica`,
    sql: `alter table ${place} enable replica trigger ${name}`,
    names: `${name} on ${place}`,
  },
  {
    id: 'TR1',
    fault: `${name} gone`,
    sql: `drop trigger ${name} on ${place}`,
    names: `${name} on ${place}`,
  },
])
