-- The same moves as in 0066, each list as one constant. The condition of a trigger is read back from its text in every statement, and the
-- text of a pair of comparisons is several hundred bytes: 90 us a statement for the twelve moves of a claim, and 22 as one list.
drop trigger charges_move_forward on charges;
create trigger charges_move_forward after update of status on charges for each row
  when (old.status <> new.status and old.status || '>' || new.status <> all (
    '{pending>authorized,pending>succeeded,pending>failed,authorized>succeeded,authorized>failed,succeeded>refunded}'))
  execute function refuse_move();
drop trigger payouts_move_forward on payouts;
create trigger payouts_move_forward after update of status on payouts for each row
  when (old.status <> new.status and old.status || '>' || new.status <> all (
    '{pending>authorized,pending>succeeded,pending>failed,authorized>succeeded,authorized>failed}'))
  execute function refuse_move();
drop trigger top_ups_move_forward on top_ups;
create trigger top_ups_move_forward after update of status on top_ups for each row
  when (old.status <> new.status and old.status || '>' || new.status <> all (
    '{pending>authorized,pending>succeeded,pending>failed,authorized>succeeded,authorized>failed}'))
  execute function refuse_move();
drop trigger vending_moves_forward on vending_orders;
create trigger vending_moves_forward after update of vending_status on vending_orders for each row
  when (old.vending_status <> new.vending_status and (old.vending_status || '>' || new.vending_status <> all (
    '{pending>dispensing,pending>failed,dispensing>dispensed,dispensing>failed,failed>dispensing,failed>dispensed,dispensed>failed}')
    or (old.vending_status = 'dispensed' and old.confirmed)))
  execute function refuse_change();
drop trigger claims_move_forward on dispense_claims;
create trigger claims_move_forward after update of state on dispense_claims for each row
  when (old.state <> new.state and old.state || '>' || new.state <> all (
    '{claimed>commanding,claimed>delivered,claimed>released,commanding>accepted,commanding>ambiguous,commanding>delivered,commanding>released,accepted>delivered,accepted>released,ambiguous>delivered,ambiguous>released,released>delivered}'))
  execute function refuse_claim_move();
drop trigger card_uses_move_forward on gift_card_uses;
create trigger card_uses_move_forward after update of state on gift_card_uses for each row
  when (old.state <> new.state
    and old.state || '>' || new.state <> all ('{reserved>taken,reserved>freed,taken>restored}'))
  execute function refuse_change();
