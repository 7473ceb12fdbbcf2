import type { Fault } from '../names.ts'
import { plant } from '../planting.ts'

// Listed here again on purpose: the test fails when verify no longer checks one of them.
const GUARDS = {
  charges: ['charges_move_forward'],
  payouts: ['payouts_move_forward'],
  top_ups: ['top_ups_move_forward'],
  schedules: ['schedules_move_forward'],
  prepared_payouts: ['prepared_payouts_move_forward', 'prepared_keep_request'],
  gift_card_uses: ['card_uses_move_forward'],
  vending_orders: ['vending_moves_forward'],
  dispense_claims: ['claims_move_forward'],
  key_limits: ['key_limits_hold', 'key_limits_begin'],
  withdrawal_numbers: ['numbers_wait'],
  merchants: ['accounts_move_forward'],
  rail_attempts: ['attempts_born_sending', 'attempts_keep_installation'],
}

export const TRIGGER_FAULTS: readonly Fault[] = Object.entries(GUARDS).flatMap(([place, triggers]) =>
  plant(
    'TR1',
    triggers.flatMap((trigger) => [
      [`${trigger} on ${place}`, `${trigger} switched off`, `alter table ${place} disable trigger ${trigger}`],
      [
        `${trigger} on ${place}`,
        `${trigger} only on a replica`,
        `alter table ${place} enable replica trigger ${trigger}`,
      ],
      [`${trigger} on ${place}`, `${trigger} gone`, `drop trigger ${trigger} on ${place}`],
    ]),
  ),
)
