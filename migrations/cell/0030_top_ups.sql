-- Money that a merchant adds to its own live balance by mobile money (contract.md G74): collected like a charge, but not one. No
-- fee, no event, and its whole amount is available at once.
create table top_ups (
  merchant_id         bigint not null,
  id                  text   not null,
  status              text   not null check (status in ('pending', 'authorized', 'succeeded', 'failed')),
  amount              bigint not null check (amount between 1 and 9007199254740991),
  channel             text   not null check (channel = 'op1_momo'),
  phone               text   not null,
  rail_reference      text   not null,
  rail_transaction_id text,
  failure_reason      text check (failure_reason in ('insufficient_funds', 'user_cancelled', 'timeout', 'rail_rejected')),
  -- The key of its request: the same one asks for nothing new, until this one is taken back.
  request_key         text,
  published           boolean not null,
  voided_at           timestamptz,
  created_at          timestamptz not null,
  completed_at        timestamptz,
  -- When its rail is asked about it next.
  follow_at           timestamptz,
  primary key (merchant_id, id),
  constraint failed_has_reason check ((status = 'failed') = (failure_reason is not null)),
  constraint final_has_time    check ((status in ('succeeded', 'failed')) = (completed_at is not null)),
  constraint open_is_followed  check ((status in ('pending', 'authorized') and voided_at is null) = (follow_at is not null)),
  constraint shown_is_known    check (published or status = 'pending'),
  constraint voided_is_hidden  check (voided_at is null or not published)
) with (fillfactor = 85);
create index top_ups_listed   on top_ups (merchant_id, created_at, id) where published;
create index top_ups_followed on top_ups (follow_at) where follow_at is not null;
create unique index top_ups_one_a_reference on top_ups (merchant_id, rail_reference);
create unique index top_ups_one_a_key on top_ups (merchant_id, request_key) where request_key is not null and voided_at is null;
create trigger top_ups_move_forward before update of status on top_ups for each row
  when (old.status is distinct from new.status and (old.status, new.status) not in (
    ('pending', 'authorized'), ('pending', 'succeeded'), ('pending', 'failed'),
    ('authorized', 'succeeded'), ('authorized', 'failed')))
  execute function refuse_move();

-- As before, with one kind more: every row that is stored fits, so none has to be looked at again.
alter table transfers drop constraint known_shape;
alter table transfers add constraint known_shape check (case kind
  when 'charge_net' then debit ~ '^rail:[a-z0-9_]+$' and credit in ('pending', 'available')
  when 'charge_fee' then debit ~ '^rail:[a-z0-9_]+$' and credit = 'fees'
  when 'payout_reserve' then debit = 'available' and credit = 'in_flight'
  when 'payout_sent' then debit = 'in_flight' and credit ~ '^rail:[a-z0-9_]+$'
  when 'payout_fee' then debit = 'in_flight' and credit = 'fees'
  when 'payout_return' then debit = 'in_flight' and credit = 'available'
  when 'hold_release' then debit = 'pending' and credit = 'available'
  when 'split_share' then debit ~ '^rail:[a-z0-9_]+$' and credit ~ '^sub_(available|pending):sub_[a-z0-9]+$'
  when 'split_release' then debit ~ '^sub_pending:sub_[a-z0-9]+$' and credit = 'sub_available' || substr(debit, 12)
  when 'charge_fee_return' then debit = 'fees' and credit = 'available'
  when 'sub_payout_reserve' then debit ~ '^sub_available:sub_[a-z0-9]+$' and credit = 'in_flight'
  when 'sub_payout_return' then debit = 'in_flight' and credit ~ '^sub_available:sub_[a-z0-9]+$'
  when 'test_funds' then debit = 'sandbox' and credit = 'available'
  when 'top_up' then mode = 'live' and debit ~ '^rail:[a-z0-9_]+$' and credit = 'available'
  else false end) not valid;
