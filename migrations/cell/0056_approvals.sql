-- What one operator asks for and another one approves (docs/decisions/0030). An approval runs exactly these bytes, in its own commit.
create table approvals (
  merchant_id  bigint not null references merchants,
  id           text   not null,
  kind         text   not null check (kind in ('adjustment', 'unfreeze-merchant')),
  mode         text   not null check (mode in ('test', 'live')),
  -- What it is about: an exception, or the merchant's public id.
  subject      text   not null,
  status        text   not null check (status in ('waiting', 'approved', 'rejected', 'withdrawn', 'expired')),
  command      bytea  not null check (length(command) between 2 and 8192),
  digest       bytea  not null,
  reason       text   not null check (length(reason) between 1 and 500),
  asked_by     bigint not null,
  asked_name   text   not null,
  asked_at     timestamptz not null,
  expires_at   timestamptz not null,
  decided_by   bigint,
  decided_name text,
  decided_at   timestamptz,
  note         text   check (length(note) between 1 and 500),
  -- Why it could not be done when somebody approved it last. It still waits.
  refused      text,
  refused_at   timestamptz,
  primary key (merchant_id, id),
  constraint digest_of_command check (digest = sha256(command)),
  constraint decided_has_time  check ((status = 'waiting') = (decided_at is null)),
  constraint decided_by_person check ((status in ('approved', 'rejected', 'withdrawn')) = (decided_by is not null)
    and (decided_by is null) = (decided_name is null)),
  constraint two_persons       check (status not in ('approved', 'rejected') or decided_by <> asked_by),
  constraint own_withdrawn     check (status <> 'withdrawn' or decided_by = asked_by),
  constraint expires_later     check (expires_at > asked_at),
  constraint refused_has_time  check ((refused is null) = (refused_at is null))
);
create unique index approvals_one_waiting on approvals (merchant_id, kind, subject) where status = 'waiting';
create index approvals_about   on approvals (merchant_id, subject, asked_at, id);
create index approvals_waiting on approvals (asked_at, id) where status = 'waiting';
create index approvals_decided on approvals (decided_at, id) where status <> 'waiting';
create index approvals_expire  on approvals (expires_at) where status = 'waiting';
create trigger approvals_move_forward before update of status on approvals for each row
  when (old.status <> 'waiting' and new.status <> old.status) execute function refuse_move();
create trigger approvals_keep_command before update of command, digest, kind, mode, subject, asked_by, asked_at, expires_at on approvals
  for each row when ((old.command, old.digest, old.kind, old.mode, old.subject, old.asked_by, old.asked_at, old.expires_at)
    is distinct from (new.command, new.digest, new.kind, new.mode, new.subject, new.asked_by, new.asked_at, new.expires_at))
  execute function refuse_change();

-- A correction of a merchant's balance by two operators, with the exception that it answers. Its transfer carries this id.
create table adjustments (
  merchant_id  bigint not null,
  id           text   not null,
  mode         mode   not null,
  approval_id  text   not null,
  exception_id text   not null,
  -- The subject of the exception: the charge or payout that the correction is about.
  about        text   not null,
  direction    text   not null check (direction in ('in', 'out')),
  amount       bigint not null check (amount between 1 and 9007199254740991),
  -- What the merchant reads.
  told         text   not null check (length(told) between 1 and 200),
  at           timestamptz not null,
  primary key (merchant_id, id)
);
create unique index adjustments_one_an_approval on adjustments (merchant_id, approval_id);
create index adjustments_about on adjustments (merchant_id, about);
create trigger adjustments_never_change before update or delete on adjustments for each row execute function refuse_change();
create trigger adjustments_never_empty before truncate on adjustments for each statement execute function refuse_change();

-- As before, with two kinds more: every row that is stored fits, so none has to be looked at again.
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
  when 'correction_in' then (debit in ('adjustments', 'fees') or debit ~ '^rail:[a-z0-9_]+$') and credit = 'available'
  when 'correction_out' then debit = 'available' and (credit in ('adjustments', 'fees') or credit ~ '^rail:[a-z0-9_]+$')
  else false end) not valid;
