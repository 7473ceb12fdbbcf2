-- The table of moves of a dispense claim (vending/dispensing/claim.ts) said again where no code can forget it. Nothing leads back
-- to `claimed`, from which alone a machine is told: a second command of one claim would drop a second product.
create function refuse_claim_move() returns trigger language plpgsql as $$
begin
  raise exception 'dispense claim % may not move from % to %', old.id, old.state, new.state;
end $$;
create trigger claims_move_forward before update of state on dispense_claims for each row
  when (old.state is distinct from new.state and (old.state, new.state) not in (
    ('claimed', 'commanding'), ('claimed', 'delivered'), ('claimed', 'released'),
    ('commanding', 'accepted'), ('commanding', 'ambiguous'), ('commanding', 'delivered'), ('commanding', 'released'),
    ('accepted', 'delivered'), ('accepted', 'released'), ('ambiguous', 'delivered'), ('ambiguous', 'released'),
    ('released', 'delivered')))
  execute function refuse_claim_move();
