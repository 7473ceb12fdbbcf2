-- Money out. One row of `payouts` for everything that leaves: single, bulk, scheduled, refund, withdrawal, subaccount.
create table payouts (
  merchant_id         bigint not null,
  id                  text   not null,
  mode                mode   not null,
  kind                text   not null check (kind in ('payout', 'bulk', 'scheduled', 'refund', 'withdrawal', 'subaccount')),
  status              text   not null check (status in ('pending', 'authorized', 'succeeded', 'failed')),
  amount              bigint not null check (amount between 1 and 9007199254740991),
  fee                 bigint not null,
  channel             text   not null check (channel = 'op1_momo'),
  recipient_phone     text   not null,
  recipient_name      text,
  reference           text,
  rail_reference      text   not null,
  rail_transaction_id text,
  failure_reason      text check (failure_reason in ('insufficient_funds', 'user_cancelled', 'timeout', 'rail_rejected',
    'recipient_not_found', 'wallet_locked', 'insufficient_balance', 'ambiguous_network_error_pending_reconciliation')),
  charge_id           text,
  batch_id            text,
  schedule_id         text,
  cycle_at            timestamptz,
  item_index          integer,
  subaccount_id       text,
  -- The fee of the refunded charge: it goes back to the merchant when this payout succeeds (contract.md 3 e).
  fee_to_return       bigint not null default 0 check (fee_to_return between 0 and 5000),
  -- Written by the switch of the sandbox page in the commit that made the payout (rails.md 2.4).
  sandbox_outcome     text,
  published           boolean not null default true,
  voided_at           timestamptz,
  created_at          timestamptz not null,
  completed_at        timestamptz,
  -- When this payout is sent or asked about next. Null while a withdrawal waits for approval, and when nothing is open.
  follow_at           timestamptz,
  primary key (merchant_id, id),
  constraint fee_is_the_formula check (fee = least(greatest(amount / 1000 * 15 + amount % 1000 * 15 / 1000, 200), 5000)),
  constraint failed_has_reason  check (case status when 'failed' then failure_reason is not null and failure_reason <> 'ambiguous_network_error_pending_reconciliation'
    when 'authorized' then failure_reason is null or failure_reason = 'ambiguous_network_error_pending_reconciliation'
    else failure_reason is null end),
  constraint final_has_time     check ((status in ('succeeded', 'failed')) = (completed_at is not null)),
  constraint open_is_followed   check ((follow_at is not null) = (status in ('pending', 'authorized') and voided_at is null)
    or (kind = 'withdrawal' and status = 'pending' and follow_at is null)),
  constraint kind_has_its_origin check ((kind = 'refund') = (charge_id is not null) and (kind = 'bulk') = (batch_id is not null)
    and (kind = 'scheduled') = (schedule_id is not null and cycle_at is not null) and (kind = 'subaccount') = (subaccount_id is not null)
    and (kind in ('bulk', 'scheduled')) = (item_index is not null) and (fee_to_return = 0 or kind = 'refund')),
  constraint voided_is_hidden   check (voided_at is null or (status = 'pending' and not published)),
  constraint test_is_published  check (mode = 'live' or (published and voided_at is null)),
  constraint switch_is_test     check (mode = 'test' or sandbox_outcome is null),
  constraint withdrawal_is_live check (mode = 'live' or kind <> 'withdrawal')
) with (fillfactor = 85);

create index payouts_listed   on payouts (merchant_id, mode, status, created_at, id) where published;
create index payouts_followed on payouts (follow_at) where follow_at is not null;
create unique index payouts_one_refund on payouts (merchant_id, charge_id) where charge_id is not null and voided_at is null;
create unique index payouts_one_a_cycle on payouts (merchant_id, schedule_id, cycle_at, item_index) where schedule_id is not null;

create trigger payouts_move_forward before update of status on payouts for each row
  when (old.status is distinct from new.status and (old.status, new.status) not in (
    ('pending', 'authorized'), ('pending', 'succeeded'), ('pending', 'failed'),
    ('authorized', 'succeeded'), ('authorized', 'failed')))
  execute function refuse_move();

-- A call of POST /v1/payouts/bulk: what came is stored whole before its first item runs, then results follow in ascending
-- index. `done` counts the items that have a result; a crash goes on from there.
create table bulk_batches (
  merchant_id bigint  not null,
  id          text    not null,
  mode        mode    not null,
  key         text    not null,
  items       jsonb   not null,
  total       integer not null check (total between 1 and 1000),
  done        integer not null default 0,
  accepted    integer not null default 0,
  lease_until timestamptz,
  created_at  timestamptz not null,
  primary key (merchant_id, id),
  constraint counts_fit check (accepted >= 0 and done between accepted and total),
  constraint leased_while_open check ((done < total) = (lease_until is not null))
) with (fillfactor = 50);
create index bulk_batches_open on bulk_batches (merchant_id, mode, lease_until) where lease_until is not null;

create table bulk_items (
  merchant_id       bigint  not null,
  batch_id          text    not null,
  item_index        integer not null check (item_index between 0 and 999),
  reference         text    not null,
  payout_id         text,
  -- The payout was made by an earlier call; then its status at that moment and when it was accepted.
  replayed          boolean not null default false,
  status            text,
  first_accepted_at timestamptz,
  error             text,
  code              text,
  retryable         boolean not null default false,
  primary key (merchant_id, batch_id, item_index),
  constraint paid_or_refused check ((payout_id is null) = (error is not null) and (error is null) = (code is null) and (payout_id is null) = (status is null)),
  constraint replay_has_time check (replayed = (first_accepted_at is not null) and (payout_id is not null or not replayed))
);

-- A reference of an accepted item is spent for ever in its merchant and mode (G13d).
create table bulk_references (
  merchant_id bigint not null,
  mode        mode   not null,
  reference   text   not null check (length(reference) between 1 and 260),
  payout_id   text   not null,
  primary key (merchant_id, mode, reference)
);

create table schedules (
  merchant_id       bigint not null,
  id                text   not null,
  mode              mode   not null,
  status            text   not null check (status in ('active', 'paused', 'cancelled')),
  name              text,
  amount            bigint not null check (amount between 1 and 9007199254740991),
  channel           text   not null check (channel = 'op1_momo'),
  interval          text   not null check (interval in ('daily', 'weekly', 'monthly')),
  -- [{"phone", "name", "reference"}], in the order given: the index names a recipient's payout.
  recipients        jsonb  not null check (jsonb_array_length(recipients) between 1 and 1000),
  max_per_recipient bigint check (max_per_recipient >= amount),
  start_at          timestamptz,
  -- The first next_run_at: every later one is counted from it in the Kampala calendar, never from an actual run.
  anchor_at         timestamptz not null,
  next_run_at       timestamptz,
  last_run_at       timestamptz,
  failure_reason    text,
  cancelled_at      timestamptz,
  created_at        timestamptz not null,
  primary key (merchant_id, id),
  constraint cancelled_runs_no_more check ((status = 'cancelled') = (next_run_at is null) and (status = 'cancelled') = (cancelled_at is not null)),
  constraint only_paused_has_reason check (status = 'paused' or failure_reason is null)
);
create index schedules_listed on schedules (merchant_id, mode, created_at, id);
create index schedules_due on schedules (next_run_at) where status = 'active';
create trigger schedules_move_forward before update of status on schedules for each row
  when (old.status = 'cancelled' and new.status <> 'cancelled') execute function refuse_move();

-- Where a merchant's own money may go (G66): a number, and whether an operator has verified it.
create table withdrawal_numbers (
  merchant_id bigint primary key references merchants,
  phone       text not null,
  set_at      timestamptz not null,
  verified_at timestamptz
);

-- The decision about a payout of kind withdrawal; until it is approved no rail hears of it.
create table withdrawals (
  merchant_id bigint not null,
  id          text   not null,
  state       text   not null default 'requested' check (state in ('requested', 'approved', 'rejected', 'cancelled')),
  note        text,
  decided_at  timestamptz,
  primary key (merchant_id, id),
  constraint decided_has_time check ((state = 'requested') = (decided_at is null))
);

-- The copy of the platform's payout freeze that this cell's reserving transactions read and lock; the directory has the original.
create table payout_stops (
  only_row   boolean primary key default true check (only_row),
  frozen_for text
);
insert into payout_stops (frozen_for) values (null);

-- A payout that may have been lost is posted again under its reference: how often, and with which word such a post was refused.
alter table rail_attempts add column reposts integer not null default 0;
alter table rail_attempts add column refused_as text;
