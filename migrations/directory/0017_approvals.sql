-- The same as in a cell, for what is about the whole platform: it belongs to no merchant, and 0 stands for that.
create table approvals (
  merchant_id  bigint not null default 0 check (merchant_id = 0),
  id           text   not null,
  kind         text   not null check (kind in ('unfreeze-platform', 'installation')),
  mode         text   not null check (mode in ('test', 'live')),
  -- What it is about: `platform`, or a side of the operator.
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
create function refuse_move() returns trigger language plpgsql as $$
begin
  raise exception '% % may not move from % to %', tg_table_name, old.id, old.status, new.status;
end $$;
create trigger approvals_move_forward before update of status on approvals for each row
  when (old.status <> 'waiting' and new.status <> old.status) execute function refuse_move();
create trigger approvals_keep_command before update of command, digest, kind, mode, subject, asked_by, asked_at, expires_at on approvals
  for each row when ((old.command, old.digest, old.kind, old.mode, old.subject, old.asked_by, old.asked_at, old.expires_at)
    is distinct from (new.command, new.digest, new.kind, new.mode, new.subject, new.asked_by, new.asked_at, new.expires_at))
  execute function refuse_change();

alter table payout_freeze add column changed_by text;

alter table platform_exceptions
  add column resolution text constraint known_resolution
    check (resolution in ('refunded_outside', 'operator_corrected', 'no_difference')),
  add constraint resolved_is_closed check (resolution is null or closed_at is not null);
create index platform_exceptions_listed      on platform_exceptions (opened_at, id);
create index platform_exceptions_listed_open on platform_exceptions (opened_at, id) where closed_at is null;

create table exception_notes (
  merchant_id  bigint not null default 0 check (merchant_id = 0),
  exception_id text   not null,
  number       bigint generated always as identity,
  at           timestamptz not null,
  by           text   not null,
  kind         text   not null check (kind in ('note', 'taken', 'asked')),
  text         text   not null check (length(text) between 1 and 2000),
  primary key (merchant_id, exception_id, number)
);
create trigger exception_notes_never_change before update or delete on exception_notes for each row execute function refuse_change();
create trigger exception_notes_never_empty before truncate on exception_notes for each statement execute function refuse_change();
