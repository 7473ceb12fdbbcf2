-- What the transfers after another checkpoint add up to, by kind, and when the first and the last of them happened: a statement adds up
-- checkpoints instead of transfers. Checkpoints that were made before have none, and their transfers are read.
alter table ledger_checkpoints add after_seq bigint, add sums jsonb, add first_at timestamptz, add last_at timestamptz,
  add constraint sums_are_whole check (num_nulls(after_seq, sums, first_at, last_at) in (0, 4) and after_seq < seq and first_at <= last_at);
-- The few transfers of a statement that are not of a paid charge.
create index transfers_besides_charges on transfers (merchant_id, mode, seq)
  where kind not in ('charge_net', 'charge_fee', 'hold_release', 'split_release', 'payout_sent', 'payout_fee');
