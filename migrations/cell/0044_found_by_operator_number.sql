-- A customer on the phone reads out the number of the operator's SMS. The sandbox sends none.
create index charges_by_operator_number on charges (merchant_id, rail_transaction_id)
  where rail_transaction_id is not null and mode = 'live';
create index payouts_by_operator_number on payouts (merchant_id, rail_transaction_id)
  where rail_transaction_id is not null and mode = 'live';
