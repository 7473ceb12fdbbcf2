import { type Invariant, NO_ACCOUNT } from '../invariant.ts'

// The triggers that refuse a step backwards. The owner of a table could disable one.
const GUARDS = [
  ['charges', 'charges_move_forward'],
  ['payouts', 'payouts_move_forward'],
  ['top_ups', 'top_ups_move_forward'],
  ['schedules', 'schedules_move_forward'],
  ['prepared_payouts', 'prepared_payouts_move_forward'],
  ['prepared_payouts', 'prepared_keep_request'],
  ['gift_card_uses', 'card_uses_move_forward'],
  ['vending_orders', 'vending_moves_forward'],
  ['dispense_claims', 'claims_move_forward'],
  ['rail_attempts', 'attempts_born_sending'],
  ['rail_attempts', 'attempts_keep_installation'],
  ['withdrawal_numbers', 'numbers_wait'],
  ['merchants', 'accounts_move_forward'],
  ['key_limits', 'key_limits_hold'],
  ['key_limits', 'key_limits_begin'],
  ['audit', 'audit_never_changes'],
  ['audit', 'audit_never_empty'],
  ['audit', 'audit_waits_for_seal'],
  ['audit_seals', 'seals_never_change'],
  ['audit_seals', 'seals_never_empty'],
]
const listed = GUARDS.map(([place, name]) => `('${place}', '${name}')`).join(', ')

/** The triggers that protect the tables. */
export const TRIGGER_INVARIANTS: readonly Invariant[] = [
  {
    id: 'TR1',
    says: 'the triggers that let states only move forward, and attempts keep their contract, new numbers wait, limits of keys hold and the audit keeps its rows, are there and switched on',
    counted: `select count(*) from pg_trigger where (tgrelid, tgname) in (select to_regclass(place), name from (values ${listed}) g (place, name))`,
    // O and A fire in an ordinary session; D is switched off, R fires on a replica only.
    offenders: `select ${NO_ACCOUNT}, format('%s on %s', name, place) as offender from (values ${listed}) g (place, name)
      where not exists (select from pg_trigger where tgrelid = to_regclass(place) and tgname = name
        and not tgisinternal and tgenabled in ('O', 'A'))`,
  },
]
