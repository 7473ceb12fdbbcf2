-- The pay-out of a subaccount above the amount of the checker rule waits for a second person like any other live payout of a person.
alter table prepared_payouts
  drop constraint prepared_payouts_kind_check,
  add constraint prepared_payouts_kind_check check (kind in ('payout', 'bulk', 'schedule', 'subaccount'));
